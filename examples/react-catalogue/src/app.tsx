import { useState } from 'react';
import { Catalogue } from './catalogue/catalogue.tsx';
import { forgetKey, keepKey, keptKey } from './session/key.ts';
import { openSession, type Session } from './session/session.ts';
import { SessionProvider } from './session/session-provider.tsx';
import { SignIn } from './session/sign-in.tsx';

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
