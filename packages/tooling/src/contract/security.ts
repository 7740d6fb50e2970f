import { isKeyScheme, type SecurityScheme } from '@contract-first/service/manifest';
import { dig, entriesOf, listOf } from '../common/json.ts';
import { type ContractDocument, operationsOf } from './document.ts';

/** The security schemes that operations ask for, as the service knows them. Lint refuses all others. */
export function schemesOf(document: ContractDocument): Record<string, SecurityScheme> {
  const { securitySchemes } = document.components;
  const used = new Set(requirementsOf(document).flatMap(Object.keys));
  return Object.fromEntries(
    entriesOf(securitySchemes).flatMap(([name, scheme]): [string, SecurityScheme][] => {
      const known = used.has(name) ? schemeOf(scheme) : undefined;
      return known === undefined ? [] : [[name, known]];
    }),
  );
}

/** A scheme without its texts; undefined if the service does not know it. */
export function schemeOf(scheme: unknown): SecurityScheme | undefined {
  const type = dig(scheme, 'type');
  if (type === 'oauth2' || type === 'openIdConnect' || type === 'mutualTLS') return { type };
  if (type === 'http') {
    const name = String(dig(scheme, 'scheme')).toLowerCase();
    return name === 'bearer' || name === 'basic' ? { type, scheme: name } : undefined;
  }
  const [place, name] = [dig(scheme, 'in'), dig(scheme, 'name')];
  if (type !== 'apiKey' || typeof name !== 'string') return undefined;
  return place === 'header' || place === 'query' || place === 'cookie' ? { type, in: place, name } : undefined;
}

/** What the contract asks for, and what its operations do. */
function requirementsOf(document: ContractDocument): Record<string, string[]>[] {
  return [...(document.security ?? []), ...operationsOf(document).flatMap(({ operation }) => operation.security ?? [])];
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
  const asked = requirementsOf(document).flatMap((requirement) => Object.values(requirement).flat());
  return Object.fromEntries([...new Set([...listed, ...asked])].map((name) => [name, texts.get(name) || name]));
}

/** What `security` says about an operation. */
export type OperationSecurity = {
  /** Security schemes that must all accept a request, with their scopes; one entry for each alternative. */
  alternatives: [scheme: string, scopes: string[]][][];
  /** Whether one of the alternatives must be satisfied. */
  needsCredentials: boolean;
  /** Whether the server may know the caller: also if credentials are optional. */
  knowsCallers: boolean;
  /** Whether keys of the service may be the credentials. */
  takesKeys: boolean;
  /** Whether callers with valid credentials may lack a scope. */
  needsScope: boolean;
};

/** From the operation's own `security`, or the document's. */
export function securityOf(document: unknown, operation: unknown): OperationSecurity {
  const requirements = listOf(dig(operation, 'security') ?? dig(document, 'security'));
  const alternatives = requirements.map((requirement) =>
    entriesOf(requirement).map(([name, scopes]): [string, string[]] => [name, listOf(scopes).map(String)]),
  );
  const needsCredentials = alternatives.length > 0 && alternatives.every(({ length }) => length > 0);
  const asked = alternatives.flat();
  const schemes = dig(document, 'components', 'securitySchemes');
  const isKey = ([name]: [string, unknown]) => {
    const scheme = schemeOf(dig(schemes, name));
    return scheme !== undefined && isKeyScheme(scheme);
  };
  return {
    alternatives,
    needsCredentials,
    knowsCallers: asked.length > 0,
    takesKeys: asked.some(isKey),
    // If the contract describes the scopes of keys, each key has at least the scope read.
    needsScope:
      needsCredentials &&
      asked.some(([name, scopes]) =>
        scopes.some((scope) => scope !== 'read' || dig(schemes, name, 'x-scopes') === undefined),
      ),
  };
}

/** A part of a request that is a credential: the text `prefix`, and then a secret. `basic` is a header whose secret is a name and a password. */
export type SentCredential = { place: 'header' | 'query' | 'basic'; name: string; prefix: string };

/**
 * What a caller of an operation sends: the first of the alternatives that is not empty. A certificate is left out, because it is no part of
 * the request.
 */
export function credentialsOf(document: unknown, operation: unknown): SentCredential[] {
  const [alternative = []] = securityOf(document, operation).alternatives.filter(({ length }) => length > 0);
  return alternative.flatMap(([name]) => {
    const scheme = schemeOf(dig(document, 'components', 'securitySchemes', name));
    return scheme === undefined || scheme.type === 'mutualTLS' ? [] : [sentAs(scheme)];
  });
}

/** How the secret of each scheme is sent. A certificate is left out. */
export function sentCredentials(document: ContractDocument): Record<string, SentCredential> {
  const schemes = Object.entries(schemesOf(document)).filter(([, { type }]) => type !== 'mutualTLS');
  return Object.fromEntries(schemes.map(([name, scheme]) => [name, sentAs(scheme)]));
}

function sentAs(scheme: SecurityScheme): SentCredential {
  if (scheme.type === 'http' && scheme.scheme === 'basic')
    return { place: 'basic', name: 'Authorization', prefix: 'Basic ' };
  if (scheme.type !== 'apiKey') return { place: 'header', name: 'Authorization', prefix: 'Bearer ' };
  if (scheme.in === 'cookie') return { place: 'header', name: 'Cookie', prefix: `${scheme.name}=` };
  return { place: scheme.in, name: scheme.name, prefix: '' };
}

/** What callers send, in Markdown. */
export function sentInWords(scheme: SecurityScheme, isKey: boolean): string {
  if (scheme.type === 'mutualTLS') return 'a client certificate, which the proxy passes on in `Client-Cert`';
  if (scheme.type === 'http' && scheme.scheme === 'basic') {
    return isKey ? '`Authorization: Basic`, as the password' : '`Authorization: Basic` with your username and password';
  }
  const value = isKey ? '<API_KEY>' : scheme.type === 'apiKey' ? '<VALUE>' : '<TOKEN>';
  if (scheme.type !== 'apiKey') return `\`Authorization: Bearer ${value}\``;
  const { name } = scheme;
  return { header: `\`${name}: ${value}\``, query: `\`?${name}=${value}\``, cookie: `\`Cookie: ${name}=${value}\`` }[
    scheme.in
  ];
}
