import { useRateLimit } from '@animal-store/client/react';
import { useSession } from '../session/session-provider.tsx';

/** The number of remaining requests according to the last response. */
export function Quota() {
  const rateLimit = useRateLimit(useSession().store);
  if (rateLimit === undefined) return <p className="quota" />;
  const { limit, remaining, reset } = rateLimit;
  const time = reset.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  return (
    <p className="quota">
      <span id="quota">
        <strong>{remaining}</strong> of {limit} requests left until {time}
      </span>
      <meter aria-labelledby="quota" min={0} max={limit} low={limit / 5} optimum={limit} value={remaining} />
    </p>
  );
}
