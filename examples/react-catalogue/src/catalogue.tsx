import type { PetStatus } from '@animal-store/client';
import { useRateLimit } from '@animal-store/client/react';
import { useState } from 'react';
import { AddPet } from './add-pet.tsx';
import { PetList } from './pet-list.tsx';
import { useSession } from './session.tsx';
import { statuses, statusNames } from './statuses.ts';

/** The page for a user with a key. */
export function Catalogue({ onSignOut }: { onSignOut: () => void }) {
  const [status, setStatus] = useState<PetStatus>();
  return (
    <>
      <header className="top">
        <h1>Animal Store</h1>
        <Quota />
        <button type="button" className="quiet" onClick={onSignOut}>
          Forget the key
        </button>
      </header>
      <div className="columns">
        <main>
          <a className="to-form" href="#add">
            Add an animal
          </a>
          <StatusFilter status={status} onChange={setStatus} />
          {/* Its own list for each filter, so that nothing of the other one stays on screen. */}
          <PetList key={status ?? 'all'} status={status} onOtherKey={onSignOut} />
        </main>
        <aside id="add">
          <AddPet />
        </aside>
      </div>
    </>
  );
}

/** The number of remaining requests according to the last response. */
function Quota() {
  const rateLimit = useRateLimit(useSession().store);
  if (rateLimit === undefined) return <p className="quota" />;
  const { limit, remaining, reset } = rateLimit;
  const time = reset.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  return (
    <p className="quota">
      <span id="quota">
        <strong>{remaining}</strong> of {limit} requests left until {time}
      </span>
      <meter aria-labelledby="quota" min={0} max={limit} low={limit / 5} optimum={limit} value={remaining} />
    </p>
  );
}

type Props = { status: PetStatus | undefined; onChange: (status: PetStatus | undefined) => void };

/** Which animals to show: radio buttons, so that arrow keys move between them. */
function StatusFilter({ status, onChange }: Props) {
  const options = [undefined, ...statuses];
  return (
    <fieldset className="filter">
      <legend>Show</legend>
      {options.map((option) => (
        <label key={option ?? 'all'}>
          <input type="radio" name="status" checked={option === status} onChange={() => onChange(option)} />
          <span>{option === undefined ? 'All' : statusNames[option]}</span>
        </label>
      ))}
    </fieldset>
  );
}
