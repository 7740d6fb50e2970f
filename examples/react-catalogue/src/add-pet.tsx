import type { NewPet, PetStatus } from '@animal-store/client';
import { issuesOf } from '@animal-store/client/forms';
import { invalidate } from '@animal-store/client/react';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Problem } from './problem.tsx';
import { useSession } from './session.tsx';
import { statuses, statusNames } from './statuses.ts';

/** The form for a new animal. Only the API validates it, and its problems are shown at the fields. */
export function AddPet() {
  const { mutations, queryClient } = useSession();
  const [fields, setFields] = useState(empty);
  const form = useRef<HTMLFormElement>(null);
  const add = useMutation({
    ...mutations.pets.create(),
    onSuccess: () => {
      setFields(empty);
      return invalidate(queryClient, '/pets');
    },
  });
  const issues = issuesOf<NewPet>(add.error);
  const isShownAtFields = issues.length > 0 && issues.every(({ field }) => field === 'name' || field === 'categoryId');
  const problemAt = (name: keyof Fields) => issues.find(({ field }) => field === name)?.message;
  const edit = (changed: Partial<Fields>) => setFields({ ...fields, ...changed });
  const send = () => add.mutate({ body: petOf(fields) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!add.isPending) send();
  };

  // Focus the first invalid field, or the name for the next animal.
  useEffect(() => {
    const field = add.isError ? '[aria-invalid="true"]' : '[name="name"]';
    if (add.isError || add.isSuccess) form.current?.querySelector<HTMLElement>(field)?.focus();
  }, [add.isError, add.isSuccess]);

  const { name, categoryId, status } = fields;
  return (
    <form className="card" ref={form} onSubmit={submit} aria-labelledby="add-title" noValidate>
      <h2 id="add-title">Add an animal</h2>
      <Field
        label="Name"
        name="name"
        value={name}
        problem={problemAt('name')}
        onChange={(value) => edit({ name: value })}
      />
      <Field
        label="Category number"
        name="categoryId"
        inputMode="numeric"
        value={categoryId}
        problem={problemAt('categoryId')}
        onChange={(value) => edit({ categoryId: value })}
      />
      <label htmlFor="new-status">Status</label>
      <select id="new-status" value={status} onChange={(event) => edit({ status: statusOf(event.target.value) })}>
        {statuses.map((option) => (
          <option key={option} value={option}>
            {statusNames[option]}
          </option>
        ))}
        <option value="">No status</option>
      </select>
      <button type="submit" className="primary" aria-disabled={add.isPending}>
        {add.isPending ? 'Adding…' : 'Add'}
      </button>
      <p className="hint" role="status">
        {add.isSuccess && `${add.data.name} was added as number ${add.data.id}.`}
      </p>
      {add.error !== null && !isShownAtFields && <Problem error={add.error} onRetry={send} />}
    </form>
  );
}

function statusOf(value: string): Fields['status'] {
  return statuses.find((status) => status === value) ?? '';
}

type Props = {
  label: string;
  name: string;
  value: string;
  /** The problem that the API reports for it. */
  problem: string | undefined;
  inputMode?: 'numeric';
  onChange: (value: string) => void;
};

/** A text field with its label, and the problem with its value below it. */
function Field({ label, name, value, problem, inputMode, onChange }: Props) {
  const id = `new-${name}`;
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        name={name}
        value={value}
        inputMode={inputMode}
        autoComplete="off"
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        onChange={(event) => onChange(event.target.value)}
      />
      {problem !== undefined && (
        <p className="field-problem" id={`${id}-problem`}>
          {label} {problem}
        </p>
      )}
    </>
  );
}

/** The values of the form. */
type Fields = { name: string; categoryId: string; status: PetStatus | '' };

const empty: Fields = { name: '', categoryId: '', status: 'available' };

/** The animal to add. A category that is not a number is sent unchanged, because the API explains what is wrong. */
function petOf({ name, categoryId, status }: Fields): NewPet {
  return { name, categoryId: Number.parseFloat(categoryId), ...(status === '' ? {} : { status }) };
}
