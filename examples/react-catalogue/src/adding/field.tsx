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
export function Field({ label, name, value, problem, inputMode, onChange }: Props) {
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
