/** Credentials of any security scheme. `createClient` itself sends `Authorization: Bearer`. */
import type { ClientFacts } from './client.ts';
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
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
};

/**
 * The options of a client whose API has any security schemes. `apiKey` is a token or key, or a function that returns the current one, for each
 * scheme; or it has one for each scheme by its name.
 */
export type CredentialOptions<Facts extends CredentialFacts> = Omit<ClientOptions, 'apiKey'> & {
  apiKey?: ApiKey | { readonly [Scheme in keyof Facts['credentials']]?: ApiKey };
};

/** The arguments of `createClient` for a contract with any security schemes. */
export function withCredentials<Facts extends ClientFacts & CredentialFacts>(
  facts: Facts,
  { apiKey = {}, ...options }: CredentialOptions<Facts>,
): [ClientFacts, ClientOptions] {
  const schemes = Object.entries(facts.credentials);
  // The client shares its quota with the tabs that have the same key.
  if (typeof apiKey === 'string' && schemes.every(([, { prefix }]) => prefix === 'Bearer ')) {
    return [facts, { ...options, apiKey }];
  }
  const given: Readonly<Record<string, ApiKey | undefined>> =
    typeof apiKey === 'object' ? apiKey : Object.fromEntries(schemes.map(([name]) => [name, apiKey]));
  const base = pathOf(options.baseUrl);
  const operations = Object.values(facts.operations)
    .map(({ method, path, security }) => {
      const [scheme = ''] = security.flatMap(Object.keys);
      return { method, path: patternOf(base + path), parameters: path.split('{').length, scheme };
    })
    .sort((one, other) => one.parameters - other.parameters);

  function authorize(request: Request, secrets: string): Request {
    const { pathname } = new URL(request.url);
    const known: Readonly<Record<string, string>> = JSON.parse(secrets);
    const { scheme = '' } =
      operations.find(({ method, path }) => method === request.method && path.test(pathname)) ?? {};
    const { name, prefix } = facts.credentials[scheme] ?? {};
    const secret = known[scheme];
    if (name !== undefined && secret !== undefined) request.headers.set(name, prefix + secret);
    return request;
  }

  return [
    { ...facts, authorize },
    { ...options, apiKey: () => secretsOf(given) },
  ];
}

/** All secrets as one text, which the client renews as one after a 401. */
async function secretsOf(given: Readonly<Record<string, ApiKey | undefined>>): Promise<string> {
  const secrets: Record<string, string> = {};
  for (const [scheme, key] of Object.entries(given)) {
    if (key !== undefined) secrets[scheme] = typeof key === 'string' ? key : await key();
  }
  // A key of the client is one word of ASCII.
  return JSON.stringify(secrets).replace(
    /[^!-~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The path of a URL without a slash at its end. `createClient` refuses what is no URL. */
function pathOf(baseUrl: string): string {
  const page = globalThis.location?.href;
  return URL.canParse(baseUrl, page) ? new URL(baseUrl, page).pathname.replace(/\/$/, '') : '';
}

/** An expression for the path of an operation, such as `/v1/notes/{noteId}`. */
function patternOf(path: string): RegExp {
  const parts = path.split(/\{[^}]+\}/).map((text) => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/]+')}$`);
}
