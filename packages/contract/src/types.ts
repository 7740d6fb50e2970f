/** All types of the contract and no values, so that a package can re-export them without promising the constants. */
import type { errorStatus, plans, scopes, servers } from './generated/constants.ts';

import type { operations, paths } from './generated/openapi.ts';

// Each schema by its name: Pet, NewPet, PetStatus, ...
export type * from './generated/openapi.ts';
export type { Error as ErrorBody, operations as OperationTypes } from './generated/openapi.ts';

/** The operationIds of the contract. */
export type OperationId = keyof operations;

/** The plans of the contract. */
export type Plan = keyof typeof plans;

/** The scope of an API key. `write` includes `read`. */
export type Scope = keyof typeof scopes;

/** Whether a server, and the keys that it accepts, are for live data or for testing. */
export type Mode = keyof typeof servers;

/** How the server reads and writes a media type. `lines` is a JSON document per line; `events` are server-sent events. */
export type BodyKind = 'json' | 'lines' | 'events' | 'text' | 'binary' | 'form';

/** A media type of a body. With `stream`, the body is read or written piece by piece. */
export type MediaType = { readonly kind: BodyKind; readonly stream: boolean };

/** What the contract says about an operation: the general type of the rows of `operations`. */
export type OperationFacts = {
  readonly method: string;
  readonly path: keyof paths;
  /** The scope that a key needs; `public` if the operation needs no key. */
  readonly access: 'public' | Scope;
  /** The scopes that the operation needs, by the name of the security scheme; empty if it needs no key. */
  readonly security: readonly Readonly<Record<string, readonly Scope[]>>[];
  readonly requestBody: null | {
    readonly required: boolean;
    readonly mediaTypes: Readonly<Record<string, MediaType & { readonly maxBytes: number }>>;
  };
  /** Whether the operation takes an Idempotency-Key. */
  readonly idempotent: boolean;
  /** The integer parameters. */
  readonly integers: ParameterNames;
  /** The parameters that are numbers, fractions included. */
  readonly numbers: ParameterNames;
  /** The defaults of query parameters. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** The request headers that the operation reads. */
  readonly headers: readonly string[];
  /** The successful responses and redirections that the operation returns, by status. */
  readonly responses: Readonly<Record<number, ResponseFacts>>;
  /** Whether the operation refuses an Accept header that it cannot satisfy, with 406. */
  readonly negotiates: boolean;
  /** The required headers that the operation sets, by status. */
  readonly requiredHeaders: Readonly<Record<number, readonly string[]>>;
  /** The codes of each error response, by status. */
  readonly errorCodes: Readonly<Record<number, readonly (keyof typeof errorStatus)[]>>;
  readonly stability: 'stable' | 'beta';
  readonly deprecation: null | {
    readonly since: string;
    readonly sunset: string;
    readonly successor: OperationId;
    readonly documentation: string;
  };
};

type ParameterNames = Readonly<Record<'query' | 'path' | 'header', readonly string[]>>;

/** A successful response. `etag`: the server adds an ETag. */
export type ResponseFacts = {
  readonly mediaTypes: Readonly<Record<string, MediaType>>;
  readonly cacheControl: string;
  readonly etag: boolean;
};
