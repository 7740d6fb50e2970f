import type { Pet } from '@animal-store/client';
import { statusNames } from './statuses.ts';

export function PetCard({ pet: { id, name, categoryId, status } }: { pet: Pet }) {
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
