import type { QueryClient } from '@tanstack/react-query';

/**
 * Marks the data of these paths, and of the paths below them, as out of date. react-query then fetches what is on screen again. For
 * `onSuccess` of a mutation: `invalidate(queryClient, '/notes')` covers the list of notes and each note.
 */
export async function invalidate<Paths extends object>(
  queryClient: QueryClient,
  ...changed: (keyof Paths)[]
): Promise<void> {
  await queryClient.invalidateQueries({
    predicate: ({ queryKey: [method, path] }) =>
      method === 'get' && changed.some((one) => path === one || `${path}`.startsWith(`${String(one)}/`)),
  });
}
