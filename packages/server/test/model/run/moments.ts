import { operationFacts } from '@animal-store/contract';
import { DAY, MINUTE } from '../store/keys.ts';
import type { Store } from '../store/store.ts';

export type Moment = 'minute' | 'midnight' | 'end of a secret' | 'end of a key' | 'sunset';

const sunsets = Object.values(operationFacts).flatMap(({ deprecation }) =>
  deprecation === null ? [] : [Date.parse(deprecation.sunset)],
);

/** The time at an offset from a moment; the current time if that is over. */
export function timeAt({ now, keys }: Store, moment: Moment, offset: number): number {
  const next = (length: number) => Math.ceil((now + 2) / length) * length;
  const times: Record<Moment, number> = {
    minute: next(MINUTE),
    midnight: next(DAY),
    'end of a secret': Math.max(...keys.map(({ older }) => older?.endsAt ?? 0)),
    'end of a key': Math.min(...keys.map(({ endsAt }) => endsAt)),
    sunset: Math.min(...sunsets),
  };
  return Math.max(now, times[moment] + offset);
}
