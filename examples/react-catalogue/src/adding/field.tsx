type Props = {
  label: string;
  name: string;
  value: string;
  /** What the API says is wrong with it. */
  problem: string | undefined;
  inputMode?: 'numeric';
  onChange: (value: string) => void;
};

/** A text field with its label, and below it what is wrong with what it holds. */
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
