import { isKeyScheme } from '@contract-first/service/manifest';
import { dig } from '../../common/json.ts';
import { type ContractDocument, methodsOf, type OperationObject } from '../../contract/document.ts';
import { schemeOf, securityOf, sentInWords } from '../../contract/security.ts';

/** An operation or a webhook with its place in the contract and in the reference. */
export type PlacedOperation = OperationObject & {
  summary: string;
  /** `GET /notes`; for a webhook `Webhook noteRead`. */
  key: string;
  /** In upper case; for a webhook, the method of the request that the API sends. */
  method: string;
  /** As in the contract, `/notes/{noteId}`; the name of a webhook. */
  path: string;
  /** Its page: `operations/listNotes.html`. */
  address: string;
  tag: string;
  isWebhook: boolean;
  access: Access;
  /** What it asks for, in Markdown; empty if the page on authentication is enough. */
  accessNote: string;
};

/** What a reader should know before choosing an operation. */
export function marksOf(operation: OperationObject): string[] {
  const isBeta = operation['x-stability'] === 'beta';
  return [...(isBeta ? ['Beta'] : []), ...(operation.deprecated === true ? ['Deprecated'] : [])];
}

/** Every operation, in the order of the contract. */
export function placedOperations(contract: ContractDocument): PlacedOperation[] {
  return operationsIn(contract.paths).map(({ method, name, ...operation }) => ({
    ...operation,
    key: `${method} ${name}`,
    method,
    path: name,
    tag: operation.tags?.[0] ?? '',
    isWebhook: false,
    access: accessOf(contract, operation),
    accessNote: accessNote(contract, operation),
  }));
}

/** Every operation, then every webhook, in the order of the contract. */
export function placedWithWebhooks(contract: ContractDocument): PlacedOperation[] {
  const webhooks = operationsIn(contract.webhooks ?? {}).map(({ method: _, name, ...operation }) => ({
    ...operation,
    key: `Webhook ${name}`,
    method: 'POST',
    path: name,
    tag: operation.tags?.[0] ?? 'webhooks',
    isWebhook: true,
    access: 'public' as const,
    accessNote: '',
  }));
  return [...placedOperations(contract), ...webhooks];
}

/** The operations of these paths or webhooks, each with the parameters that all operations of its path share. */
function operationsIn(items: ContractDocument['paths']) {
  return Object.entries(items).flatMap(([name, item]) =>
    methodsOf(item).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      name,
      address: `operations/${operation.operationId}.html`,
      // `npm run dev` also shows a contract that lint refuses.
      summary: operation.summary ?? operation.operationId,
      parameters: [...(item.parameters ?? []), ...(operation.parameters ?? [])],
    })),
  );
}

/** The note above the description of an operation, in Markdown: which key it needs, or that it is a webhook. */
export function noteOn({ isWebhook, accessNote: note }: Pick<PlacedOperation, 'isWebhook' | 'accessNote'>): string {
  return isWebhook ? '**Webhook:** the API sends this request to your URL.' : note;
}

/** The media types of the request and of the successful responses, without duplicates. */
export function mediaTypesOf({ requestBody, responses }: OperationObject): string[] {
  const successes = Object.entries(responses).flatMap(([status, response]) =>
    status < '400' && 'content' in response ? [response.content ?? {}] : [],
  );
  return [...new Set([requestBody?.content ?? {}, ...successes].flatMap((content) => Object.keys(content)))];
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
  const isKeyOfService = scheme?.type === 'http' && (scopes.length === 0 || dig(schemes, name, 'x-scopes'));
  if (scheme === undefined || isKeyOfService) return accessInWords[accessOf(document, operation)];
  const names = scopes.map((scope) => `\`${scope}\``).join(' and ');
  const sent = `${sentInWords(scheme, isKeyScheme(scheme))}${names === '' ? '' : ` with the scope ${names}`}`;
  return `${needsCredentials ? 'Requires' : '**Public.** Also takes'} ${sent}.`;
}

/** The text for readers, in Markdown; empty if the page on authentication is enough. */
export const accessInWords: Record<Access, string> = {
  public: '**Public:** no API key required.',
  read: 'Requires an API key with the `read` or `write` scope.',
  write: 'Requires an API key with the `write` scope.',
  key: '',
};
