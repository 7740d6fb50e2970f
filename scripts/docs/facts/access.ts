import { dig, entriesOf } from '../../lint/redocly.ts';

/** What a caller needs for an operation: nothing, or a key of that scope. */
export type Access = 'public' | 'read' | 'write';

/** From the operation's own `security`, or the document's. A key without scopes in the contract may do everything. */
export function accessOf(document: object, operation: object): Access {
  const security = dig(operation, 'security') ?? dig(document, 'security');
  const [[, requirement] = []] = entriesOf(security);
  if (requirement === undefined) return 'public';
  const scopes = entriesOf(requirement).flatMap(([, names]) => entriesOf(names).map(([, scope]) => scope));
  return scopes.includes('write') ? 'write' : 'read';
}

/** For readers, in Markdown. */
export const accessInWords: Record<Access, string> = {
  public: '**Public:** no key needed.',
  read: 'Needs a key with scope `read` or `write`.',
  write: 'Needs a key with scope `write`.',
};
