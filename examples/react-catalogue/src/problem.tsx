import { isApiError, isNetworkError, isRateLimitError, type RateLimitError } from '@animal-store/client';
import type { AnimalStoreError } from '@animal-store/client/react';
import { useEffect, useMemo, useState } from 'react';

type Props = {
  error: AnimalStoreError;
  onRetry?: () => void;
  onOtherKey?: () => void;
};

/** An error with the button that helps. Screen readers announce it as soon as it appears. */
export function Problem({ error, onRetry, onOtherKey }: Props) {
  const { title, text, remedy, requestId } = useMemo(() => adviceFor(error), [error]);
  const seconds = useSecondsUntil(remedy.kind === 'wait' ? remedy.at : undefined);
  const isRetryable = remedy.kind === 'wait' || remedy.kind === 'try again';
  return (
    <section className="problem">
      <div role="alert">
        <h2>{title}</h2>
        <p>{text}</p>
      </div>
      {requestId !== undefined && (
        <p className="hint">
          Request <code>{requestId}</code>
        </p>
      )}
      {isRetryable && onRetry !== undefined && (
        <button type="button" onClick={onRetry} disabled={seconds > 0}>
          {remedy.kind === 'wait' && seconds > 0 ? `Try again ${whenIs(remedy.at, seconds)}` : 'Try again'}
        </button>
      )}
      {remedy.kind === 'other key' && onOtherKey !== undefined && (
        <button type="button" onClick={onOtherKey}>
          Use another key
        </button>
      )}
    </section>
  );
}

/** A short wait as a countdown, a long one as a time of day. */
function whenIs(at: Date, seconds: number): string {
  if (seconds <= 120) return `in ${seconds} s`;
  return `at ${at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}`;
}

/** What went wrong, and what the user can do about it. */
type Advice = {
  title: string;
  /** The message of the API if there is one. */
  text: string;
  /** The remedy. With `wait`, a retry before `at` is useless. */
  remedy: { kind: 'wait'; at: Date } | { kind: 'other key' } | { kind: 'try again' } | { kind: 'correct' };
  /** Quote it when asking for help. */
  requestId: string | undefined;
};

function adviceFor(error: AnimalStoreError): Advice {
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

/** The whole seconds until a time, counting down to 0; 0 without a time. */
function useSecondsUntil(at: Date | undefined): number {
  const [now, setNow] = useState(Date.now);
  const seconds = at === undefined ? 0 : Math.max(0, Math.ceil((at.getTime() - now) / 1_000));
  const isCounting = seconds > 0;
  useEffect(() => {
    setNow(Date.now());
    if (!isCounting) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isCounting]);
  return seconds;
}
