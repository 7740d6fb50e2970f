import type { paths } from '@animal-store/contract';
import createClient from 'openapi-react-query';
import type { Store } from '../animal-store.ts';
import type { RateLimit } from '../headers/rate-limit.ts';
import type { Client } from '../openapi-fetch.ts';
import { throwingCalls } from './errors.ts';
import type { QueryHooks } from './hooks.ts';
import { type ListHooks, listHooks } from './list.ts';
import { rateLimitHook } from './rate-limit.ts';

/** The hooks of openapi-react-query, with `useInfiniteQuery` by the `Link` header, and the quota. */
export type AnimalStoreHooks<Paths extends object = paths> = QueryHooks<Paths> &
  ListHooks<Paths> & {
    /** What the last reply said of the quota; undefined before the first one. */
    useRateLimit: () => RateLimit | undefined;
  };

/**
 * Hooks for one client, made beside it and once. They fail with an ApiError, a RateLimitError or a NetworkError, and
 * leave trying again to the client: react-query's own retries are off.
 *
 * Cached data belongs to the API key: give each client a `QueryClient` of its own.
 */
export function createAnimalStoreHooks<Paths extends object = paths>(store: Store<Paths>): AnimalStoreHooks<Paths> {
  // Its types have the bodies of refusals for errors; ours have what throwingCalls makes of them. Tests hold both to it.
  const { queryOptions, useQuery, useSuspenseQuery, useMutation } = createClient(
    throwingCalls(store) as unknown as Client<Paths>,
  ) as unknown as QueryHooks<Paths>;
  return {
    queryOptions: withoutRetries(queryOptions, 3),
    useQuery: withoutRetries(useQuery, 3),
    useSuspenseQuery: withoutRetries(useSuspenseQuery, 3),
    useMutation: withoutRetries(useMutation, 2),
    ...listHooks(store),
    useRateLimit: rateLimitHook(store),
  };
}

/** The same function, with `retry: false` among its options, which stand at that place of its parameters. */
function withoutRetries<Hook extends (...parameters: never[]) => unknown>(hook: Hook, place: number): Hook {
  return new Proxy(hook, {
    apply(target, self, parameters) {
      const given = Array.from({ length: Math.max(parameters.length, place + 1) }, (_, index) =>
        index === place ? { retry: false, ...parameters[index] } : parameters[index],
      );
      return Reflect.apply(target, self, given);
    },
  });
}
