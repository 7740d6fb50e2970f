import type { CallOptions } from '../methods.ts';
import { newIdempotencyKey } from '../sending/retry.ts';
import { isSuccess, type Result } from '../unwrap.ts';

/** What a user wants to change once: the key of its requests, and the call that is running. */
type Intent = { key: string; running: Promise<unknown> | undefined };

/** Sends a request with these options. */
type Send<Data> = (options: CallOptions) => Promise<Result<Data>>;

/** Runs the calls of one operation so that each intent has one effect. */
export type Intents = <Data>(variables: object, options: CallOptions, send: Send<Data>) => Promise<Result<Data>>;

/** Creations without a confirmed result, of which the oldest are forgotten. */
const MOST = 100;

/**
 * The intents of an operation. Calls with the same variables are one intent until one of them succeeds: they send the same
 * Idempotency-Key, whether react-query or the user repeats them, and a call during another one gets its result, unless one of the two has
 * options. The API does not store failed requests, so that the key can be used again after an error. A caller with an `idempotencyKey`
 * decides alone.
 *
 * @param operation its method and path
 * @param takesKey whether the operation takes an Idempotency-Key
 */
export function createIntents(operation: string, takesKey: boolean): Intents {
  const intents = new Map<string, Intent>();
  // A lost change may be made again after another one: then it is a new intent.
  const most = /^post /i.test(operation) ? MOST : 1;

  function intentOf(id: string): Intent {
    const intent = intents.get(id) ?? { key: newIdempotencyKey(), running: undefined };
    // Added again, so that the first one is the oldest.
    intents.delete(id);
    intents.set(id, intent);
    if (intents.size > most) {
      // One that is running is kept, so that a repeated call still gets its result.
      const [oldest] = [...intents].find(([, { running }]) => running === undefined) ?? [];
      if (oldest !== undefined && oldest !== id) intents.delete(oldest);
    }
    return intent;
  }

  return async <Data>(variables: object, options: CallOptions, send: Send<Data>): Promise<Result<Data>> => {
    const own = options.idempotencyKey ?? Object(variables).idempotencyKey;
    if (!takesKey || own !== undefined) return send(options);
    const id = identityOf(variables);
    const intent = intentOf(id);
    // A time limit, for example, must end only the call that has it. The API recognises the key of the others.
    const isJoinable = Object.keys(options).length === 0;
    // The calls of an operation have the same type of data.
    const joined = isJoinable ? (intent.running as Promise<Result<Data>> | undefined) : undefined;
    const running = joined ?? send({ ...options, idempotencyKey: intent.key });
    if (isJoinable) intent.running = running;
    try {
      const result = await running;
      if (isSuccess(result) && intents.get(id) === intent) intents.delete(id);
      return result;
    } finally {
      if (intent.running === running) intent.running = undefined;
    }
  };
}

/** The same text for equal variables. An operation that takes an Idempotency-Key has no body but JSON. */
function identityOf(variables: object): string {
  return JSON.stringify(variables, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}
