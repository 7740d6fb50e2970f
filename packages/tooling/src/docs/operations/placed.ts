import { isKeyScheme } from '@contract-first/service/facts';
import { dig } from '../../common/json.ts';
import {
  type ContractDocument,
  type OperationObject,
  operationsOf,
  type PlacedOperation as Placed,
} from '../../contract/document.ts';
import { schemeOf, securityOf, sentInWords } from '../../contract/security.ts';

/** An operation with its place in the contract and in the reference. */
export type PlacedOperation = Omit<OperationObject, 'parameters' | 'responses'> & {
  summary: string;
  /** `GET /notes` */
  key: string;
  tag: string;
  access: Access;
  /** What it asks for, in Markdown. */
  accessNote: string;
} & Omit<Placed, 'operation'>;

/** What a reader should know before choosing an operation. */
export function marksOf(operation: Pick<OperationObject, 'x-stability' | 'deprecated'>): string[] {
  const isBeta = operation['x-stability'] === 'beta';
  return [...(isBeta ? ['Beta'] : []), ...(operation.deprecated === true ? ['Deprecated'] : [])];
}

/** Every operation, in the order of the contract. Webhooks are only on the page by Redoc. */
export function placedOperations(contract: ContractDocument): PlacedOperation[] {
  return operationsOf(contract).map(({ operation, ...placed }) => ({
    ...operation,
    ...placed,
    key: `${placed.method} ${placed.path}`,
    tag: operation.tags?.[0] ?? '',
    // `npm run dev` also shows a contract that lint refuses.
    summary: operation.summary ?? operation.operationId,
    access: accessOf(contract, operation),
    accessNote: accessNote(contract, operation),
  }));
}

/** The access that an operation requires: none, a key with that scope, or any key if the contract has no scopes. */
export type Access = 'public' | 'read' | 'write' | 'key';

/** From the operation's own `security`, or the document's. */
export function accessOf(document: object, operation: object): Access {
  const { asked, needsCredentials } = securityOf(document, operation);
  if (!needsCredentials) return 'public';
  const scopes = asked.flatMap(([, names]) => names);
  if (scopes.includes('write')) return 'write';
  return scopes.includes('read') ? 'read' : 'key';
}

/** What an operation asks for, in Markdown. A contract that describes the scopes of its keys has a page about them. */
export function accessNote(document: object, operation: object): string {
  const { asked, needsCredentials } = securityOf(document, operation);
  const schemes = dig(document, 'components', 'securitySchemes');
  const [[name, scopes] = ['', []]] = asked;
  const scheme = schemeOf(dig(schemes, name));
  if (scheme === undefined || dig(schemes, name, 'x-scopes') !== undefined)
    return accessInWords[accessOf(document, operation)];
  const names = scopes.map((scope) => `\`${scope}\``).join(' and ');
  const sent = `${sentInWords(scheme, isKeyScheme(scheme))}${names === '' ? '' : ` with the scope ${names}`}`;
  return `${needsCredentials ? 'Requires' : '**Public.** Also takes'} ${sent}.`;
}

const accessInWords: Record<Access, string> = {
  public: '**Public:** no API key required.',
  read: 'Requires an API key with the `read` or `write` scope.',
  write: 'Requires an API key with the `write` scope.',
  key: 'Requires an API key.',
};
