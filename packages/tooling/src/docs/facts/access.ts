import { dig, entriesOf } from '../../common/json.ts';

/** The access that an operation requires: none, a key with that scope, or any key if the contract has no scopes. */
export type Access = 'public' | 'read' | 'write' | 'key';

/** From the operation's own `security`, or the document's. */
export function accessOf(document: object, operation: object): Access {
  const [[, requirement] = []] = entriesOf(dig(operation, 'security') ?? dig(document, 'security'));
  if (requirement === undefined) return 'public';
  const scopes = entriesOf(requirement).flatMap(([, names]) => entriesOf(names).map(([, scope]) => scope));
  if (scopes.includes('write')) return 'write';
  return scopes.includes('read') ? 'read' : 'key';
}

/** The text for readers, in Markdown; empty if the page on authentication is enough. */
export const accessInWords: Record<Access, string> = {
  public: '**Public:** no API key required.',
  read: 'Requires an API key with the `read` or `write` scope.',
  write: 'Requires an API key with the `write` scope.',
  key: '',
};
