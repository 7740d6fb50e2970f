import type { paths } from '@animal-store/contract';
import type { QueryClient } from '@tanstack/react-query';

/**
 * Marks what was read from these paths, and from those below them, as old: what is on screen is asked for again. For
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
