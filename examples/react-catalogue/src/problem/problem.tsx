import type { AnimalStoreError } from '@animal-store/client/react';
import { useMemo } from 'react';
import { adviceFor } from './advice.ts';
import { useSecondsUntil } from './seconds-until.ts';

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
