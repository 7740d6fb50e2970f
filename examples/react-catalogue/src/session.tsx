import { createAnimalStore } from '@animal-store/client';
import { createAnimalStoreQueries } from '@animal-store/client/queries';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type FormEvent, type ReactNode, useContext, useState } from 'react';

/** Set by Vite; see vite.config.ts. */
declare const ANIMAL_STORE_URL: string;

/** Everything that belongs to one API key: its client, its queries and their cached data. */
export type Session = ReturnType<typeof openSession>;

export function openSession(apiKey: string, baseUrl: string = ANIMAL_STORE_URL) {
  // Users prefer to see how long to wait over a page that does nothing for a minute.
  const store = createAnimalStore({ apiKey, baseUrl, maxRetryAfter: 5_000 });
  // Returning to the tab must not use up the quota.
  const queries = { staleTime: 30_000, refetchOnWindowFocus: false };
  return { store, ...createAnimalStoreQueries(store), queryClient: new QueryClient({ defaultOptions: { queries } }) };
}

const SessionContext = createContext<Session | undefined>(undefined);

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  return (
    <SessionContext value={session}>
      <QueryClientProvider client={session.queryClient}>{children}</QueryClientProvider>
    </SessionContext>
  );
}

/** The session of the current API key. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('There is no SessionProvider above this component.');
  return session;
}

/**
 * The API key is in `sessionStorage`: it survives a reload, and is deleted when its tab is closed. It is not in a cookie,
 * so browsers do not send it automatically, and not in `localStorage`, so other tabs and later users of this machine
 * cannot read it.
 */
const place = 'animal-store-key';

export function keptKey(): string | undefined {
  return sessionStorage.getItem(place) ?? undefined;
}

export function keepKey(key: string): void {
  sessionStorage.setItem(place, key);
}

export function forgetKey(): void {
  sessionStorage.removeItem(place);
}

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
