/** Whether a server, and the keys that it accepts, are for live data or for testing. */
export type Mode = 'live' | 'test';

/**
 * How the server reads and writes a media type. `lines` is a JSON document per line; `events` are server-sent events; `form` is
 * multipart/form-data or application/x-www-form-urlencoded.
 */
export type BodyKind = 'json' | 'lines' | 'events' | 'text' | 'binary' | 'form';

/** A media type of a body. With `stream`, the body is read or written piece by piece. */
export type MediaType = { readonly kind: BodyKind; readonly stream: boolean };

/** A request body, with the maximum size of each media type in bytes, and the fields of a form by their names. */
export type RequestBody = {
  readonly required: boolean;
  readonly mediaTypes: Readonly<
    Record<string, MediaType & { readonly maxBytes: number; readonly fields?: FormFields }>
  >;
};

export type FormFields = Readonly<Record<string, FormField>>;

/** A field of a form. Fields that a form does not list are text. */
export type FormField = {
  /** The JSON types that the text is converted to; none if it stays text. */
  readonly types: readonly string[];
  readonly isList: boolean;
  /** The media types that a file may have, such as `image/*`. Undefined if the field is no file. */
  readonly file?: readonly string[];
};

/** What a contract says about an operation: a row of the table that `generate` writes. */
export type OperationFacts = {
  readonly method: string;
  readonly path: string;
  /** The first scope that the operation asks for, or `key` if there is none; `public` if it needs no credentials. */
  readonly access: string;
  /** What the operation asks for: one scheme. If there is an empty requirement next to it, credentials are optional. */
  readonly security: readonly SecurityRequirement[];
  readonly requestBody: RequestBody | null;
  readonly idempotent: boolean;
  /** `own`: the operation begins its transactions itself. */
  readonly transaction?: 'own';
  /** The operation also gets the bytes of the body, such as for its signature. */
  readonly rawBody?: true;
  readonly integers: ParameterNames;
  /** The parameters that are numbers, fractions included. */
  readonly numbers: ParameterNames;
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly headers: readonly string[];
  /** The successful responses and redirections that the operation returns, by status. */
  readonly responses: Readonly<Record<number, ResponseFacts>>;
  /** The errors that the operation returns in a form of the contract, by status, `4XX`, `5XX` or `default`. */
  readonly errors?: Readonly<Record<string, Pick<ResponseFacts, 'mediaTypes'>>>;
  /** Whether the operation refuses an Accept header that it cannot satisfy, with 406. */
  readonly negotiates: boolean;
  /** The required headers that the operation sets, by status. */
  readonly requiredHeaders: Readonly<Record<number, readonly string[]>>;
  /** The codes of each error response, by status: an exact one, `4XX`, `5XX` or `default`. */
  readonly errorCodes: Readonly<Record<string, readonly string[]>>;
  readonly stability: 'stable' | 'beta';
  readonly deprecation: null | {
    readonly since: string;
    readonly sunset: string;
    readonly successor: string;
    readonly documentation: string;
  };
};

/** A security scheme with the scopes that the operation needs; empty if it needs no credentials. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** How callers prove who they are: with a bearer token, or with a key in a header. */
export type SecurityScheme =
  | { readonly type: 'http'; readonly scheme: 'bearer' }
  | { readonly type: 'apiKey'; readonly in: 'header'; readonly name: string }
  | { readonly type: 'oauth2' | 'openIdConnect' };

type ParameterNames = Readonly<Record<'query' | 'path' | 'header', readonly string[]>>;

/** A successful response. `etag`: the server adds an ETag. */
export type ResponseFacts = {
  readonly mediaTypes: Readonly<Record<string, MediaType>>;
  readonly cacheControl: string;
  readonly etag: boolean;
};

/** A plan of API keys. Keys of a plan with `custom` have limits of their own. */
export type Plan = { readonly title: string } & (
  | { readonly custom: true }
  | { readonly perMinute: number; readonly perDay: number }
);

export type BanRules = Readonly<
  Record<
    'graceSeconds' | 'toleratedRefusals' | 'firstSeconds' | 'factor' | 'maximumSeconds' | 'forgetAfterSeconds',
    number
  >
>;

export type ErrorDetail = { where: string; what: string };

/** The title of a problem: `api_key_missing` as `API key missing`. */
export function problemTitle(code: string): string {
  const words = code.replaceAll('_', ' ').replace(/\b(?:api|http|id|json|url)\b/g, (word) => word.toUpperCase());
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** What the service needs to know about an API. `generate` writes it from its openapi.yaml. */
export type Contract = {
  readonly contractTitle: string;
  readonly version: string;
  /** The path under which the API is served, such as `/v1`; empty if it is served under `/`. */
  readonly basePath: string;
  /** The base URL of the first server of each mode. */
  readonly servers: Readonly<Record<Mode, string>>;
  readonly operations: Readonly<Record<string, OperationFacts>>;
  /** Those that an operation asks for, by name. */
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** What requests for paths that the contract does not have need, so that these reveal nothing to others. */
  readonly security: readonly SecurityRequirement[];
  readonly scopes: Readonly<Record<string, unknown>>;
  /** The prefix of every API key, as in `PREFIX_live_…` and `PREFIX_test_…`: lower-case letters and digits. */
  readonly keyPrefix: string;
  /** The beginning of the names of metrics, such as `tree_nursery`. Default: the name of the service. */
  readonly metricPrefix?: string;
  /** The quotas of keys. Without any, keys have no plan, and their requests are not counted. */
  readonly plans: Readonly<Record<string, Plan>>;
  /** The quota of requests without a valid key; null if they are not counted. */
  readonly anonymousLimits: { readonly perMinute: number; readonly perDay: number } | null;
  /** Null if no key is ever banned. */
  readonly banRules: BanRules | null;
  readonly limits: Readonly<Record<'bodyBytes' | 'idempotencySeconds' | 'keyExpiryNoticeDays', number>>;
  readonly errorStatus: Readonly<Record<string, number>>;
  /** With `problem`, every error of the server is a problem (RFC 9457). */
  readonly errorForm?: 'problem';
  /** The request headers that web pages may send. */
  readonly requestHeaders: readonly string[];
  readonly json: string;
  /** The same as YAML. Without it, the JSON is published in its place, because JSON is YAML, too. */
  readonly yaml?: string;
  /** The types that openapi-typescript generates for the operations. Exists only in the type; no value has this property. */
  readonly types?: object;
};

export function schemesInUse({ operations }: Pick<Contract, 'operations'>): string[] {
  return [...new Set(Object.values(operations).flatMap(({ security }) => security.flatMap(Object.keys)))];
}

export type LimitRules = Pick<Contract, 'plans' | 'anonymousLimits' | 'banRules'>;

/** Whether keys have plans, and their requests are counted. */
export function hasPlans({ plans }: Pick<Contract, 'plans'>): boolean {
  return Object.keys(plans).length > 0;
}

export function hasQuotas(rules: Pick<LimitRules, 'plans' | 'anonymousLimits'>): boolean {
  return hasPlans(rules) || rules.anonymousLimits !== null;
}

/** The plan for examples and for trying the API: the first one, of those with fixed limits if there are any. Undefined without plans. */
export function firstPlan(plans: Contract['plans']): string | undefined {
  const [first] = Object.entries(plans).find(([, plan]) => !('custom' in plan)) ?? Object.entries(plans)[0] ?? [];
  return first;
}

/** Whether the service itself serves a path: the docs, the contract and the health checks. No operation can have it. */
export function isOwnPage(path: string): boolean {
  return /^\/(docs(\/.*)?|llms\.txt|openapi\.(yaml|json)|healthz|readyz)?$/.test(path);
}

/** Whether keys of the service can be the credentials of a scheme. */
export function isKeyScheme(scheme: SecurityScheme): boolean {
  return scheme.type === 'http' || scheme.type === 'apiKey';
}

/** Stands for the origin of the server in the files of the docs. The name is reserved (RFC 2606), so it never leads anywhere. */
export const originPlaceholder = 'https://this-server.invalid';

export function headerOf(scheme: SecurityScheme): string {
  return scheme.type === 'apiKey' ? scheme.name : 'Authorization';
}
