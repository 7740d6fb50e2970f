import { type FormEvent, useState } from 'react';

/** Asks for the API key. Only the API checks whether it is valid. */
export function SignIn({ onKey }: { onKey: (key: string) => void }) {
  const [key, setKey] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (key.trim() !== '') onKey(key.trim());
  };
  return (
    <main className="sign-in">
      <h1>Animal Store</h1>
      <form className="card" onSubmit={submit}>
        <label htmlFor="key">API key</label>
        <input
          id="key"
          type="password"
          value={key}
          onChange={(event) => setKey(event.target.value)}
          autoComplete="off"
          spellCheck={false}
          placeholder="as_test_…"
          aria-describedby="key-hint"
          required
        />
        <p className="hint" id="key-hint">
          It stays in this tab, and is gone when you close it. <code>npm start</code> prints one for your own machine.
        </p>
        <button type="submit" className="primary">
          Open the catalogue
        </button>
      </form>
    </main>
  );
}
