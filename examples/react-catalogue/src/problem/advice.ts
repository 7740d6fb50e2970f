import { isApiError, isNetworkError, isRateLimitError, type RateLimitError } from '@animal-store/client';
import type { AnimalStoreError } from '@animal-store/client/react';

/** What went wrong, and what the user can do about it. */
export type Advice = {
  title: string;
  /** The message of the API if there is one. */
  text: string;
  /** The remedy. With `wait`, a retry before `at` is useless. */
  remedy: { kind: 'wait'; at: Date } | { kind: 'other key' } | { kind: 'try again' } | { kind: 'correct' };
  /** Quote it when asking for help. */
  requestId: string | undefined;
};

export function adviceFor(error: AnimalStoreError): Advice {
  if (isRateLimitError(error)) return waitAdvice(error);
  if (isNetworkError(error) || !isApiError(error)) return unreachable;
  const { message: text, requestId, status } = error;
  if (status === 401) return { title: 'This API key is not accepted', text, remedy: { kind: 'other key' }, requestId };
  if (status >= 500)
    return { title: 'Something went wrong in the API', text, remedy: { kind: 'try again' }, requestId };
  return { title: 'The API refused this', text, remedy: { kind: 'correct' }, requestId };
}

const titles = {
  minute: 'The requests of this minute are used up',
  day: 'The requests of this day are used up',
  ban: 'This API key is banned for a while',
};

function waitAdvice({ scope, retryAfter, requestId }: RateLimitError): Advice {
  // Counted from now, because the server's clock may differ.
  const at = new Date(Date.now() + retryAfter);
  const text = 'Nothing on screen is lost. Wait, then try again.';
  return { title: titles[scope], text, remedy: { kind: 'wait', at }, requestId };
}

const unreachable: Advice = {
  title: 'No response from the API',
  text: 'Is it running, and is this machine online? Retrying adds nothing twice.',
  remedy: { kind: 'try again' },
  requestId: undefined,
};
