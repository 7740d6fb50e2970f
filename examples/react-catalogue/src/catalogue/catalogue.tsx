import type { PetStatus } from '@animal-store/client';
import { useState } from 'react';
import { AddPet } from '../adding/add-pet.tsx';
import { PetList } from './pet-list.tsx';
import { Quota } from './quota.tsx';
import { StatusFilter } from './status-filter.tsx';

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
