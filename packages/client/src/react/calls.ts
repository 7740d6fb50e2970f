import type { Result } from '../unwrap.ts';

/** A call without the types of the paths, for code that serves all of them. What is public has them again. */
export type Call = (path: string, init?: object) => Promise<Result<unknown>>;

/** The methods that hooks use. */
export const hookMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

type HookMethod = (typeof hookMethods)[number];

/** The part of a client that hooks need, for any contract. */
export type Callable = Record<HookMethod, unknown>;

export function callOf(store: Callable, method: HookMethod): Call {
  return store[method] as Call;
}
