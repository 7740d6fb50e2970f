import type { PetStatus } from '@animal-store/client';
import { statuses, statusNames } from './statuses.ts';

type Props = { status: PetStatus | undefined; onChange: (status: PetStatus | undefined) => void };

/** Which animals to show: radio buttons, so that arrow keys move between them. */
export function StatusFilter({ status, onChange }: Props) {
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
