import { useEffect, useState } from 'react';

/** The whole seconds until a time, counting down to 0; 0 without a time. */
export function useSecondsUntil(at: Date | undefined): number {
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
