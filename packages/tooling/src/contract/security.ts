import { headerOf, type SecurityScheme } from '@contract-first/service/facts';
import { dig, entriesOf, listOf } from '../common/json.ts';
import { type ContractDocument, operationsOf } from './document.ts';
import { operationsIn } from './parse.ts';

/** The security schemes that operations ask for, as the service knows them. Lint refuses all others. */
export function schemesOf(document: unknown): Record<string, SecurityScheme> {
  const used = new Set(requirementsIn(document).map(([name]) => name));
  return Object.fromEntries(
    entriesOf(dig(document, 'components', 'securitySchemes')).flatMap(([name, scheme]): [string, SecurityScheme][] => {
      const known = used.has(name) ? schemeOf(scheme) : undefined;
      return known === undefined ? [] : [[name, known]];
    }),
  );
}

/** Headers that HTTP, the media types or `security` describe. */
export const headersOfHttp: readonly string[] = [
  ...['accept', 'accept-encoding', 'authorization', 'connection', 'content-encoding', 'content-length', 'content-type'],
  ...['expect', 'host', 'transfer-encoding', 'upgrade'],
];

/** A scheme without its texts; undefined if the service does not know it, or a shell would run its name in a sample. */
export function schemeOf(scheme: unknown): SecurityScheme | undefined {
  const type = dig(scheme, 'type');
  if (type === 'oauth2' || type === 'openIdConnect') return { type };
  if (type === 'http') {
    return String(dig(scheme, 'scheme')).toLowerCase() === 'bearer' ? { type, scheme: 'bearer' } : undefined;
  }
  const [place, name] = [dig(scheme, 'in'), String(dig(scheme, 'name') ?? '')];
  const isHeader = place === 'header' && /^[\w#%&*+.^|~-]+$/.test(name);
  const isUsable = isHeader && (!headersOfHttp.includes(name.toLowerCase()) || /^authorization$/i.test(name));
  return type === 'apiKey' && isUsable ? { type, in: place, name } : undefined;
}

/** What the contract asks for, and what its operations do. */
function requirementsIn(document: unknown): [scheme: string, scopes: unknown][] {
  const served = operationsIn(document).filter(({ section }) => section === 'paths');
  const holders = [document, ...served.map(({ operation }) => operation)];
  return holders.flatMap((holder) => listOf(dig(holder, 'security')).flatMap(entriesOf));
}

/** The scopes that operations ask for, and those under `x-scopes`, each with what it allows. */
export function scopesOf(document: ContractDocument): Record<string, string> {
  const schemes = Object.values(document.components.securitySchemes ?? {});
  const described = schemes.flatMap((scheme) => [
    ...Object.entries(scheme['x-scopes'] ?? {}),
    ...entriesOf(dig(scheme, 'flows')).flatMap(([, flow]) => entriesOf(dig(flow, 'scopes'))),
  ]);
  const texts = new Map(described.map(([name, text]) => [name, String(text)]));
  const listed = schemes.flatMap((scheme) => Object.keys(scheme['x-scopes'] ?? {}));
  const asked = requirementsIn(document).flatMap(([, scopes]) => listOf(scopes).map(String));
  return Object.fromEntries([...new Set([...listed, ...asked])].map((name) => [name, texts.get(name) || name]));
}

/** What `security` says about an operation. */
export type OperationSecurity = {
  /** The security schemes that it asks for, with their scopes. Lint refuses more than one. */
  asked: [scheme: string, scopes: string[]][];
  /** Whether one of them must be satisfied. */
  needsCredentials: boolean;
  /** Whether callers with valid credentials may lack a scope. */
  needsScope: boolean;
};

/** From the operation's own `security`, or the document's. */
export function securityOf(document: unknown, operation: unknown): OperationSecurity {
  const requirements = listOf(dig(operation, 'security') ?? dig(document, 'security')).map(entriesOf);
  const asked = requirements.flat().map(([name, scopes]): [string, string[]] => [name, listOf(scopes).map(String)]);
  const needsCredentials = asked.length > 0 && requirements.every(({ length }) => length > 0);
  const schemes = dig(document, 'components', 'securitySchemes');
  return {
    asked,
    needsCredentials,
    // If the contract describes the scopes of keys, each key has at least the scope read.
    needsScope:
      needsCredentials &&
      asked.some(([name, scopes]) =>
        scopes.some((scope) => scope !== 'read' || dig(schemes, name, 'x-scopes') === undefined),
      ),
  };
}

/** Whether any operation asks for a key or other credentials. */
export function needsKeys(document: ContractDocument): boolean {
  return operationsOf(document).some(({ operation }) => securityOf(document, operation).asked.length > 0);
}

/** What requests for paths that the contract does not have need: nothing if the server cannot check it. */
export function securityElsewhere(document: ContractDocument): Record<string, string[]>[] {
  const [first, ...others] = securityOf(document, {}).asked;
  const scheme =
    first && others.length === 0 ? schemeOf(dig(document.components.securitySchemes, first[0])) : undefined;
  return scheme === undefined ? [] : (document.security ?? []);
}

/** A header with a credential: the text `prefix`, and then a secret. */
export type SentCredential = { name: string; prefix: string };

/** What a caller of an operation sends; undefined if it asks for nothing. */
export function credentialOf(document: unknown, operation: unknown): SentCredential | undefined {
  const [[name = ''] = []] = securityOf(document, operation).asked;
  const scheme = schemeOf(dig(document, 'components', 'securitySchemes', name));
  return scheme && sentAs(scheme);
}

/** How the secret of each scheme is sent. */
export function sentCredentials(document: ContractDocument): Record<string, SentCredential> {
  return Object.fromEntries(Object.entries(schemesOf(document)).map(([name, scheme]) => [name, sentAs(scheme)]));
}

function sentAs(scheme: SecurityScheme): SentCredential {
  return { name: headerOf(scheme), prefix: scheme.type === 'apiKey' ? '' : 'Bearer ' };
}

/** What callers send, in Markdown. */
export function sentInWords(scheme: SecurityScheme, isKey: boolean): string {
  const { name, prefix } = sentAs(scheme);
  return `\`${name}: ${prefix}<${isKey ? 'API_KEY' : prefix === '' ? 'VALUE' : 'TOKEN'}>\``;
}
