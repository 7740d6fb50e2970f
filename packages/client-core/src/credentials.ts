/** Credentials of any security scheme. `createClient` itself sends `Authorization: Bearer`. */
import type { ClientFacts } from './client.ts';
import type { ApiKey, ClientOptions } from './options.ts';

/** Where a secret is in a request, and the text before it: `basic` is a header with a name and a password in base64. */
export type SentCredential = {
  readonly place: 'header' | 'query' | 'basic';
  readonly name: string;
  readonly prefix: string;
};

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

/** A token, key, cookie or other value, a function that returns the current one, or a name with its password. */
export type Credential = ApiKey | { readonly username: string; readonly password: string };

/**
 * The options of a client whose API has any security schemes. `apiKey` is a credential that is sent for each scheme, or it has one for each
 * scheme by its name. Without it, only what the browser itself sends is sent: cookies and certificates.
 */
export type CredentialOptions<Facts extends CredentialFacts> = Omit<ClientOptions, 'apiKey'> & {
  apiKey?: Credential | { readonly [Scheme in keyof Facts['credentials']]?: Credential };
};

/** The arguments of `createClient` for a contract with any security schemes. */
export function withCredentials<Facts extends ClientFacts & CredentialFacts>(
  facts: Facts,
  { apiKey = {}, ...options }: CredentialOptions<Facts>,
): [ClientFacts, ClientOptions] {
  const sent = Object.values(facts.credentials);
  // The client shares its quota with the tabs that have the same key.
  if (typeof apiKey === 'string' && sent.every(({ prefix }) => prefix === 'Bearer '))
    return [facts, { ...options, apiKey }];
  const given = new Map(Object.entries(isCredential(apiKey) ? everyScheme(facts, apiKey) : apiKey));
  const base = pathOf(options.baseUrl);
  const operations = Object.values(facts.operations)
    .map(({ method, path, security }) => ({
      method,
      path: patternOf(base + path),
      parameters: path.split('{').length,
      alternative: alternativeOf(security, given),
    }))
    .sort((one, other) => one.parameters - other.parameters);
  const sendsCookies = sent.some(({ name }) => name === 'Cookie');

  function authorize(request: Request, secrets: string): Request {
    const url = new URL(request.url);
    const known: Readonly<Record<string, string>> = JSON.parse(secrets);
    const found = operations.find(({ method, path }) => method === request.method && path.test(url.pathname));
    for (const scheme of found?.alternative ?? []) {
      const { place, name, prefix } = facts.credentials[scheme] ?? {};
      const secret = known[scheme];
      if (name === undefined || secret === undefined) continue;
      if (place === 'query') url.searchParams.set(name, secret);
      else if (name === 'Cookie') addCookie(request.headers, prefix + secret);
      else request.headers.set(name, prefix + secret);
    }
    const authorized = url.href === request.url ? request : new Request(url, request);
    // Browsers set the header Cookie themselves, and only with this.
    return sendsCookies ? new Request(authorized, { credentials: 'include' }) : authorized;
  }

  return [
    { ...facts, authorize },
    { ...options, apiKey: () => secretsOf(given) },
  ];
}

function isCredential(given: object | string): given is Credential {
  return typeof given !== 'object' || ('username' in given && 'password' in given);
}

function everyScheme({ credentials }: CredentialFacts, credential: Credential): Record<string, Credential> {
  return Object.fromEntries(Object.keys(credentials).map((scheme) => [scheme, credential]));
}

/** All secrets as one text, which the client renews as one after a 401. */
async function secretsOf(given: ReadonlyMap<string, Credential | undefined>): Promise<string> {
  const secrets: Record<string, string> = {};
  for (const [scheme, credential] of given) {
    if (credential !== undefined) secrets[scheme] = await secretOf(credential);
  }
  // A key of the client is one word of ASCII.
  return JSON.stringify(secrets).replace(
    /[^!-~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

async function secretOf(credential: Credential): Promise<string> {
  if (typeof credential === 'string') return credential;
  if (typeof credential === 'function') return credential();
  const bytes = new TextEncoder().encode(`${credential.username}:${credential.password}`);
  return btoa(String.fromCharCode(...bytes));
}

/** The schemes of the first alternative whose credentials are all given. */
function alternativeOf(security: CredentialOperation['security'], given: ReadonlyMap<string, unknown>): string[] {
  const alternatives = security.map((schemes) => Object.keys(schemes));
  return alternatives.find((schemes) => schemes.length > 0 && schemes.every((scheme) => given.has(scheme))) ?? [];
}

/** Replaces the cookie of the same name, which an earlier attempt may have set. */
function addCookie(headers: Headers, cookie: string): void {
  const name = cookie.slice(0, cookie.indexOf('=') + 1);
  const others = (headers.get('Cookie') ?? '').split('; ').filter((one) => one !== '' && !one.startsWith(name));
  headers.set('Cookie', [...others, cookie].join('; '));
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
