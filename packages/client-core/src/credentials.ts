/** Credentials of any security scheme. `createClient` itself sends `Authorization: Bearer`. */
import type { ClientFacts } from './client.ts';
import { type ErrorForms, errorReader } from './error-forms.ts';
import type { ApiKey, ClientOptions } from './options.ts';

/** The header that a secret is sent in, and the text before it. */
export type SentCredential = { readonly name: string; readonly prefix: string };

/** How the operations of a contract ask for credentials: the generated constants. */
export type CredentialFacts = {
  /** How the secret of each security scheme is sent. */
  readonly credentials: Readonly<Record<string, SentCredential>>;
  readonly operations: Readonly<Record<string, CredentialOperation>>;
};

type CredentialOperation = {
  readonly method: string;
  readonly path: string;
  readonly errors?: ErrorForms;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
};

/**
 * The options of a client whose API has any security schemes. `apiKey` is a token or key, or a function that returns the current one, for each
 * scheme; or it has one for each scheme by its name.
 */
export type CredentialOptions<Facts extends CredentialFacts> = Omit<ClientOptions, 'apiKey'> & {
  apiKey?: ApiKey | { readonly [Scheme in keyof Facts['credentials']]?: ApiKey };
};

/** The arguments of `createClient` for a contract with any security schemes, and with errors in any form. */
export function withCredentials<Facts extends ClientFacts & CredentialFacts>(
  given: Facts,
  { apiKey = {}, ...options }: CredentialOptions<Facts>,
): [ClientFacts, ClientOptions] {
  const operations = new Map(Object.values(given.operations).map((one) => [`${one.method} ${one.path}`, one]));
  const facts = { ...given, readError: errorReader(operations) };
  const schemes = Object.entries(facts.credentials);
  // The client shares its quota with the tabs that have the same key.
  if (typeof apiKey === 'string' && schemes.every(([, { prefix }]) => prefix === 'Bearer ')) {
    return [facts, { ...options, apiKey }];
  }
  const keys: Readonly<Record<string, ApiKey | undefined>> =
    typeof apiKey === 'object' ? apiKey : Object.fromEntries(schemes.map(([name]) => [name, apiKey]));

  function authorize(request: Request, secrets: string, { operation }: { operation: string }): Request {
    const [scheme = ''] = operations.get(operation)?.security.flatMap(Object.keys) ?? [];
    const { name, prefix } = facts.credentials[scheme] ?? {};
    const secret: string | undefined = JSON.parse(decodeURIComponent(secrets))[scheme];
    if (name !== undefined && secret !== undefined) request.headers.set(name, prefix + secret);
    return request;
  }

  return [
    { ...facts, authorize },
    { ...options, apiKey: () => secretsOf(keys) },
  ];
}

/** All secrets as one text, which the client renews as one after a 401. */
async function secretsOf(given: Readonly<Record<string, ApiKey | undefined>>): Promise<string> {
  const secrets: Record<string, string> = {};
  for (const [scheme, key] of Object.entries(given)) {
    if (key !== undefined) secrets[scheme] = typeof key === 'string' ? key : await key();
  }
  // A key of the client is one word of ASCII.
  return encodeURIComponent(JSON.stringify(secrets));
}
