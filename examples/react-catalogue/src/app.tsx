import { useState } from 'react';
import { Catalogue } from './catalogue.tsx';
import { forgetKey, keepKey, keptKey, openSession, type Session, SessionProvider, SignIn } from './session.tsx';

/** The form for the key, or the catalogue if there is a key. */
export function App() {
  const [session, setSession] = useState<Session | undefined>(() => {
    const key = keptKey();
    return key === undefined ? undefined : openSession(key);
  });

  const signIn = (key: string) => {
    keepKey(key);
    setSession(openSession(key));
  };
  const signOut = () => {
    forgetKey();
    setSession(undefined);
  };

  if (session === undefined) return <SignIn onKey={signIn} />;
  return (
    <SessionProvider session={session}>
      <Catalogue onSignOut={signOut} />
    </SessionProvider>
  );
}
