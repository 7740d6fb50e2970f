import { isApiError, isNetworkError, isRateLimitError, type RateLimitError } from '@animal-store/client';
import type { AnimalStoreError } from '@animal-store/client/react';

/** What went wrong, and what to do about it, for the one who reads the screen. */
export type Advice = {
  title: string;
  /** In the words of the API where it said something. */
  text: string;
  /** What helps: nothing is to be tried again before `at`. */
  remedy: { kind: 'wait'; at: Date } | { kind: 'other key' } | { kind: 'try again' } | { kind: 'correct' };
  /** To be quoted when asking for help. */
  requestId: string | undefined;
};

export function adviceFor(error: AnimalStoreError): Advice {
  if (isRateLimitError(error)) return waitAdvice(error);
  if (isNetworkError(error) || !isApiError(error)) return unreachable;
  const { message: text, requestId, status } = error;
  if (status === 401) return { title: 'This API key is not accepted', text, remedy: { kind: 'other key' }, requestId };
  if (status >= 500) return { title: 'The API is in trouble', text, remedy: { kind: 'try again' }, requestId };
  return { title: 'The API refused this', text, remedy: { kind: 'correct' }, requestId };
}

const titles = {
  minute: 'The requests of this minute are used up',
  day: 'The requests of this day are used up',
  ban: 'This API key is banned for a while',
};

function waitAdvice({ scope, retryAfter, requestId }: RateLimitError): Advice {
  // Counted from now: the clock of the server may be another one.
  const at = new Date(Date.now() + retryAfter);
  const text = 'Everything that is on screen stays. Wait, then try again.';
  return { title: titles[scope], text, remedy: { kind: 'wait', at }, requestId };
}

const unreachable: Advice = {
  title: 'No reply from the API',
  text: 'Is it running, and is this machine online? Trying again adds nothing twice.',
  remedy: { kind: 'try again' },
  requestId: undefined,
};
