import { QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext } from 'react';
import type { Session } from './session.ts';

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
