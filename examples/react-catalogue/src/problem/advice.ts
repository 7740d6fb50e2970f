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
  if (status === 401) return { title: 'This API key does not work', text, remedy: { kind: 'other key' }, requestId };
  if (status >= 500) return { title: 'The API has a problem', text, remedy: { kind: 'try again' }, requestId };
  return { title: 'The API rejected the request', text, remedy: { kind: 'correct' }, requestId };
}

const titles = {
  minute: 'The quota of this minute is used up',
  day: 'The quota of this day is used up',
  ban: 'This API key is banned temporarily',
};

function waitAdvice({ scope, retryAfter, requestId }: RateLimitError): Advice {
  // Counted from now, because the server's clock may differ.
  const at = new Date(Date.now() + retryAfter);
  const text = 'The page keeps its content. Wait, then try again.';
  return { title: titles[scope], text, remedy: { kind: 'wait', at }, requestId };
}

const unreachable: Advice = {
  title: 'No response from the API',
  text: 'Check that the API is running and that you are online. Trying again never adds an animal twice.',
  remedy: { kind: 'try again' },
  requestId: undefined,
};
