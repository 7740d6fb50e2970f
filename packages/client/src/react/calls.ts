import type { AnimalStore } from '../animal-store.ts';
import type { Result } from '../unwrap.ts';

/** A call without the types of the paths, for code that serves all of them. What is public has them again. */
export type Call = (path: string, init?: object) => Promise<Result<unknown>>;

export function callOf(store: AnimalStore, verb: 'GET' | 'POST'): Call {
  return store[verb] as Call;
}
