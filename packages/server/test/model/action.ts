import { type OperationId, operations } from '@animal-store/contract';
import fc, { type Arbitrary } from 'fast-check';
import { operationFacts } from '../contract.ts';
import type { CallParts } from '../harness.ts';
import type { KeyChange } from './play.ts';
import type { Moment } from './sequences.ts';
import type { Expected, Store } from './store.ts';

/** The index of the API key that makes a call. */
export type Caller = 0 | 1;

/** The step that calls an operation, as plain data, so that fast-check can remove and shrink it. */
export type OperationStep = { do: OperationId; by: Caller; once?: number; [part: string]: unknown };

/**
 * One step of a sequence. A step refers to a resource by the number of resources of the same kind that were created after it: 0 is
 * the newest, and a number beyond the oldest refers to a resource that does not exist. fast-check can therefore remove unrelated
 * earlier steps without changing the meaning of the others.
 */
export type Action =
  | OperationStep
  /** Calls a URL from a `Link` header. */
  | { do: 'follow'; link: number; by: Caller }
  /** Repeats a request that had an Idempotency-Key. */
  | { do: 'repeat'; request: number; by: Caller }
  | { do: 'wait'; milliseconds: number }
  /** Moves the clock to a moment: exactly, or a millisecond before or after it. */
  | { do: 'until'; moment: Moment; offset: number }
  /** Changes a key, as an operator does. */
  | { do: 'key'; change: KeyChange; by: Caller }
  /** Stops the server, and starts another one on the same database. */
  | { do: 'restart' };

/** The HTTP call of a step, and the response that the model predicts. */
export type Planned = {
  call: CallParts;
  /**
   * Updates the store, and returns the expected response.
   *
   * @param context `by` is the caller, because another key may repeat the call. `freshId` stands for the ID of a new resource,
   *   which the server chooses.
   */
  answer: (store: Store, context: { by: Caller; freshId: number }) => Expected;
  /** The response to a request that is refused before the server looks for its Idempotency-Key. */
  refused?: Expected;
  /** Whether it uses the secret before the last rotation. */
  isOlder?: boolean;
  /** For a list: the page after that ID, as a Link with that query names it. */
  next?: (after: number, query: string) => Planned;
};

/** A request with the identifiers that the server assigned. */
export type ModelRequest = Planned & { id: OperationId; by: Caller; once?: number | undefined };

/** The model of one operation. The files in actions/ export one for each operation, under its name. */
export type OperationAction = {
  /** The frequency of its steps, relative to other operations. */
  weight: number;
  steps: Arbitrary<OperationStep>;
  plan(store: Store, step: OperationStep): Planned;
};

/**
 * An action for an operation.
 *
 * @param parts the parts of a step besides the caller, the Idempotency-Key and, for a GET with an ETag, If-None-Match;
 * those in `optional` may be left out
 */
export function defineAction<Parts extends object>(
  id: OperationId,
  definition: {
    weight: number;
    parts: { [Name in keyof Parts]-?: Arbitrary<Exclude<Parts[Name], undefined>> };
    optional?: (keyof Parts & string)[];
    plan(store: Store, step: Parts & OperationStep): Planned;
  },
): OperationAction {
  const { weight, parts, optional = [] } = definition;
  const always = { do: fc.constant(id), by };
  // fast-check infers the names from the type, but the names of the parts are only known at runtime.
  const isRequired = (name: string): name is 'do' | 'by' => !optional.some((other) => other === name);
  const requiredKeys = ['do', 'by', ...Object.keys(parts)].filter(isRequired);
  const { method, responses, idempotent } = operationFacts[id];
  const known = method === 'GET' && responses[200]?.etag === true ? { known: fc.nat({ max: 2 }) } : {};
  const steps = { ...always, ...parts, ...(idempotent ? { once } : {}), ...known };
  return {
    weight,
    steps: fc.record(steps, { requiredKeys, noNullPrototype: true }),
    plan: definition.plan,
  };
}

/** Mostly the first key, so that most steps affect the same resources. */
export const by: Arbitrary<Caller> = fc.constantFrom(0 as const, 0 as const, 0 as const, 1 as const);

/** Few enough Idempotency-Keys for some to repeat, but enough for most requests to take effect. */
const once = fc.nat({ max: 7 });

/** Mostly recent resources, for the same reason. */
export const index = fc.oneof(
  { weight: 3, arbitrary: fc.nat({ max: 1 }) },
  { weight: 1, arbitrary: fc.nat({ max: 7 }) },
);

/** Small pages, so that several are needed; if left out, the contract's default applies. */
export const limit = fc.integer({ min: 1, max: 3 });

/** The ID at an index among all assigned ones, from the newest; beyond the oldest, an ID that is not assigned yet. */
export function idAt(ids: readonly number[], at: number): number {
  return ids.at(-1 - at) ?? (ids.at(-1) ?? 0) + 1;
}

type Entry = { id: number };

/** A listing in pages. A page from a Link is requested with the query of the Link. */
export function listing<Listed extends Entry>(
  entriesOf: (store: Store, by: Caller) => Listed[],
  { limit, ...filters }: Record<string, string | number | number[] | undefined>,
  isListed: (entry: Listed) => boolean,
  start: { after: number; query: string } | undefined = undefined,
): Planned {
  const given = Object.entries({ limit, ...filters }).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one) => [name, String(one)]),
  );
  return {
    call: { query: start?.query ?? new URLSearchParams(given).toString() },
    answer: (store, { by }) => {
      const most = Number(limit ?? operations.listPets.defaults.limit);
      const rest = entriesOf(store, by).filter((entry) => isListed(entry) && entry.id > (start?.after ?? 0));
      return page(store, rest, most, filters);
    },
    next: (after, query) => listing(entriesOf, { limit, ...filters }, isListed, { after, query }),
  };
}

function page({ origin }: Store, rest: Entry[], most: number, filters: object): Expected {
  const body = rest.slice(0, most).map((entry) => ({ ...entry }));
  const last = body.at(-1);
  if (rest.length <= most || last === undefined) return { status: 200, body };
  return { status: 200, body, lastOfMore: last.id, next: JSON.stringify([origin, most, filters, last.id]) };
}
