import type { Pet, PetStatus } from '@animal-store/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Problem } from './problem.tsx';
import { useSession } from './session.tsx';
import { statusNames } from './statuses.ts';

type Props = { status: PetStatus | undefined; onOtherKey: () => void };

/** The animals, page by page. Loaded animals stay on screen if a later page fails. */
export function PetList({ status, onOtherKey }: Props) {
  const { queries } = useSession();
  const list = useInfiniteQuery(queries.pets.list.infinite({ status }));
  const { data, error, isPending, isFetchingNextPage, isFetchNextPageError, hasNextPage, fetchNextPage, refetch } =
    list;
  const retry = () => void (isFetchNextPageError ? fetchNextPage() : refetch());
  return (
    <section aria-label="Animals" aria-busy={isPending || isFetchingNextPage}>
      <ul className="pets">
        {data?.map((pet) => (
          <li key={pet.id}>
            <PetCard pet={pet} />
          </li>
        ))}
      </ul>
      <p className="hint" role="status">
        {countOf(data?.length, hasNextPage, isPending)}
      </p>
      {error !== null && <Problem error={error} onRetry={retry} onOtherKey={onOtherKey} />}
      {hasNextPage && error === null && (
        <button type="button" className="more" onClick={() => void fetchNextPage()} aria-disabled={isFetchingNextPage}>
          {isFetchingNextPage ? 'Loading…' : 'Load more'}
        </button>
      )}
    </section>
  );
}

function countOf(count: number | undefined, hasMore: boolean, isPending: boolean): string {
  if (isPending) return 'Loading…';
  if (count === undefined) return '';
  if (count === 0) return 'There are no animals with this status. Add one, or choose another status.';
  const animals = count === 1 ? '1 animal' : `${count} animals`;
  return hasMore ? `${animals} shown; there are more.` : `${animals}. That is all.`;
}

function PetCard({ pet: { id, name, categoryId, status } }: { pet: Pet }) {
  return (
    <article className="pet">
      <span className="initial" data-shade={Math.abs(categoryId % 5)} aria-hidden="true">
        {[...name][0]?.toUpperCase()}
      </span>
      <div>
        <h2>{name}</h2>
        <p className="hint">
          Number {id}, category {categoryId}
        </p>
      </div>
      {status !== undefined && (
        <span className="status" data-status={status}>
          {statusNames[status]}
        </span>
      )}
    </article>
  );
}
