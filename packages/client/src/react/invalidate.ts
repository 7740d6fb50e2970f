import type { paths } from '@animal-store/contract';
import type { QueryClient } from '@tanstack/react-query';

/**
 * Marks the data of these paths, and of the paths below them, as out of date. react-query then fetches what is on screen again. For
 * `onSuccess` of a mutation: `invalidate(queryClient, '/pets')` covers the list of pets and each pet.
 */
export async function invalidate<Paths extends object = paths>(
  queryClient: QueryClient,
  ...changed: (keyof Paths)[]
): Promise<void> {
  await queryClient.invalidateQueries({
    predicate: ({ queryKey: [method, path] }) =>
      method === 'get' && changed.some((one) => path === one || `${path}`.startsWith(`${String(one)}/`)),
  });
}
