import type { AnimalStoreQueries } from '@animal-store/client/queries';
import { useSuspenseInfiniteQuery } from '@tanstack/react-query';

/** The animals, page by page. The server renders the first page. */
export function App({ queries }: AnimalStoreQueries) {
  const { data, hasNextPage, fetchNextPage } = useSuspenseInfiniteQuery(queries.pets.list.infinite({ limit: 3 }));
  return (
    <main>
      <h1>Animals</h1>
      <ul>
        {data.map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
      </ul>
      {hasNextPage && (
        <button type="button" onClick={() => void fetchNextPage()}>
          Load more
        </button>
      )}
    </main>
  );
}
