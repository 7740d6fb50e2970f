import type { BanRules } from '../common/facts.ts';
import type { Quota, Usage, Verdict } from './count-request.ts';

/** Requests at one time, all with the same outcome, and further expectations of the last verdict. */
export type Step = [at: StepTime, requests: number, outcome: Verdict['outcome'], expected?: Expected];

/** A time of 1 December 2026 in UTC, a full date and time, or the end of the previous step's `Retry-After`. */
export type StepTime = string | 'after Retry-After';

export type Expected = Partial<Pick<Verdict, 'window' | 'limit' | 'remaining' | 'retryAfter' | 'banStarted'>> & {
  /** A time, as in `Step`. */
  reset?: string;
  usage?: Partial<Usage>;
  /** The quota from this step on, if it changes. */
  quota?: Quota;
};

export type LimitCase = {
  name: string;
  quota: Quota;
  /** Undefined for a caller that is never banned. */
  rules: BanRules | undefined;
  /** The differences from an unused quota at the first step. */
  start?: Partial<Usage>;
  steps: Step[];
};

/** Ban rules with numbers that are small enough for tests. */
export const rules: BanRules = {
  graceSeconds: 2,
  toleratedRefusals: 2,
  firstSeconds: 60,
  factor: 2,
  maximumSeconds: 200,
  forgetAfterSeconds: 1_000,
};

/** Unix milliseconds of a time as in `Step`. */
export function at(time: string): number {
  return Date.parse(time.includes('T') ? `${time}Z` : `2026-12-01T${time}Z`);
}

const SECOND = 1_000;
const midnight = '2026-12-02T00:00:00';
const yearsAhead = at('2037-11-13T12:00:00');

const bothWindows: Quota = { perMinute: 3, perDay: 8 };
/** A day's quota that no case reaches. */
const minuteOnly: Quota = { perMinute: 3, perDay: 10_000 };
const dayOnly: Quota = { perMinute: 1_000, perDay: 1 };

/** Uses up the minute, gets its first 429, and after the grace time the tolerated refusals. The next request starts a ban. */
const refused: Step[] = [
  ['12:00:10', 3, 'allowed'],
  ['12:00:10', 1, 'limited'],
  ['12:00:12', 2, 'limited'],
];
/** The ban ends at 12:01:12. */
const offence: Step[] = [...refused, ['12:00:12', 1, 'banned', { banStarted: true }]];

/**
 * The limit rules: windows, bans, and clock changes. Every counter runs these cases: the memory of a process, Redis and
 * PostgreSQL.
 */
export const limitCases: Record<string, LimitCase[]> = {
  'windows of a minute and a day': casesOn(bothWindows, {
    'allow the quota of a minute and refuse the rest': [
      ['12:00:00', 1, 'allowed', { window: 'minute', limit: 3, remaining: 2, reset: '12:01:00', retryAfter: 0 }],
      ['12:00:00', 1, 'allowed', { limit: 3, remaining: 1, reset: '12:01:00', retryAfter: 0 }],
      ['12:00:00', 1, 'allowed', { limit: 3, remaining: 0, reset: '12:01:00', retryAfter: 0 }],
      ['12:00:00', 1, 'limited', { limit: 3, remaining: 0, reset: '12:01:00', retryAfter: 60 }],
      ['12:00:00', 1, 'limited', { limit: 3, remaining: 0, reset: '12:01:00', retryAfter: 60 }],
    ],
    'start again with the first millisecond of the next minute': [
      ['12:00:00', 3, 'allowed'],
      ['12:01:00', 3, 'allowed', { remaining: 0, reset: '12:02:00' }],
      ['12:01:00', 1, 'limited'],
    ],
    'report the day once it has fewer requests left than the minute': [
      ['12:00:00', 3, 'allowed', { window: 'minute' }],
      ['12:01:00', 3, 'allowed', { window: 'minute' }],
      ['12:02:00', 1, 'allowed', { window: 'day', limit: 8, remaining: 1, reset: midnight, retryAfter: 0 }],
    ],
    'report the day, which ends later, if both have the same number left': [
      ['12:00:00', 1, 'allowed', { quota: { perMinute: 5, perDay: 5 }, limit: 5, remaining: 4, reset: midnight }],
    ],
    'send a request over both limits to the next day': [
      ['12:00:00', 3, 'allowed'],
      ['12:01:00', 2, 'allowed'],
      ['12:01:00', 1, 'limited', { quota: { perMinute: 2, perDay: 6 }, limit: 6, reset: midnight, retryAfter: 43_140 }],
    ],
    'count refused requests towards the day': [
      ['12:00:00', 3, 'allowed'],
      ['12:00:00', 5, 'limited'],
      ['12:01:00', 1, 'limited', { window: 'day', limit: 8 }],
    ],
    'start again with the first millisecond of the next UTC day': [
      ['12:00:00', 3, 'allowed'],
      ['12:00:00', 5, 'limited'],
      [midnight, 1, 'allowed', { remaining: 2, usage: { dayUsed: 1 } }],
    ],
    'end together in the last minute of the day': [
      ['23:59:59.999', 3, 'allowed'],
      ['23:59:59.999', 1, 'limited', { limit: 3, reset: midnight, retryAfter: 1 }],
    ],
    'refuse everything under a new quota smaller than the usage, with 0 remaining': [
      ['12:00:00', 3, 'allowed'],
      ['12:00:00', 1, 'limited', { quota: { perMinute: 1, perDay: 1 }, remaining: 0 }],
    ],
  }),

  'a ban': casesOn(minuteOnly, {
    'does not start during the grace time, however many requests are refused': [
      ['12:00:10', 3, 'allowed'],
      ['12:00:10', 1, 'limited'],
      ['12:00:11.999', 100, 'limited'],
    ],
    'does not start while refusals are tolerated': refused,
    'starts with the first refusal that is not tolerated': [
      ...refused,
      [
        '12:00:12',
        1,
        'banned',
        { banStarted: true, window: 'minute', limit: 3, remaining: 0, reset: '12:01:12', retryAfter: 60 },
      ],
    ],
    'starts after refusals anywhere in the window': [
      ['12:00:10', 3, 'allowed'],
      ['12:00:10', 1, 'limited'],
      ['12:00:12', 1, 'limited'],
      ['12:00:30', 1, 'limited'],
      ['12:00:59.999', 1, 'banned', { banStarted: true }],
    ],
    'does not start because of refusals in the previous window': [...refused, ['12:01:00', 1, 'allowed']],
    'does not start for tolerated refusals of several windows added up': Array.from({ length: 50 }, (_, index) => {
      const minute = `12:${String(index).padStart(2, '0')}`;
      return refused.map(([time, ...step]): Step => [time.replace('12:00', minute), ...step]);
    }).flat(),
    'whose end is not a whole second is reported to end with the next second': [
      ['12:00:10.001', 3, 'allowed'],
      ['12:00:10.001', 1, 'limited'],
      ['12:00:12.001', 2, 'limited'],
      ['12:00:12.001', 1, 'banned', { banStarted: true, reset: '12:01:13', retryAfter: 61 }],
    ],
    'refuses and counts every request, and is not extended by them': [
      ...offence,
      ['12:00:13', 500, 'banned', { usage: { bannedUntil: at('12:01:12'), bans: 1, dayUsed: 507 } }],
    ],
    'leaves nothing remaining, although the window has requests left': [
      ...offence,
      ['12:01:05', 1, 'banned', { limit: 3, remaining: 0, reset: '12:01:12', retryAfter: 7 }],
    ],
    'that ends within a used-up window is reported to end with the window': [
      ...offence,
      ['12:01:05', 3, 'banned', { reset: '12:02:00', retryAfter: 55 }],
    ],
    'lasts to its last millisecond': [...offence, ['12:01:11.999', 1, 'banned']],
    'ends by itself': [...offence, ['12:01:12', 1, 'allowed']],
    'does not give back the requests sent during it': [
      ...offence,
      ['12:01:11.999', 3, 'banned'],
      ['12:01:12', 1, 'limited'],
    ],
    'is followed by new tolerated refusals': [
      ...offence,
      ['12:01:12', 3, 'allowed'],
      ['12:01:12', 1, 'limited'],
      ['12:01:14', 2, 'limited'],
      ['12:01:14', 1, 'banned', { banStarted: true }],
    ],
    'is followed by new tolerated refusals in the same used-up day, too': [
      ['12:00:10', 1, 'allowed', { quota: dayOnly }],
      ['12:00:10', 1, 'limited'],
      ['12:00:12', 2, 'limited'],
      ['12:00:12', 1, 'banned', { banStarted: true }],
      ['12:01:12', 1, 'limited'],
      ['12:01:14', 2, 'limited'],
      ['12:01:14', 1, 'banned', { banStarted: true }],
    ],
  }),

  'a caller without ban rules': [
    {
      name: 'is limited and never banned',
      quota: minuteOnly,
      rules: undefined,
      steps: [...refused, ['12:00:59', 1_000, 'limited', { usage: { bans: 0, bannedUntil: 0 } }]],
    },
  ],

  'the length of a ban': [
    ...banAfter('no ban', 0, { bans: 1, seconds: 60 }),
    ...banAfter('one ban', 1, { bans: 2, seconds: 120 }),
    ...banAfter('two bans', 2, { bans: 3, seconds: 200 }),
    ...banAfter('three bans', 3, { bans: 4, seconds: 200 }),
    ...banAfter('1,999 bans, for which doubling exceeds every number', 1_999, { bans: 2_000, seconds: 200 }),
    ...banAfter('five bans, the last one almost forgotten', 5, { bans: 6, seconds: 200, endedAgo: 999_999 }),
    ...banAfter('five bans, the last one just forgotten', 5, { bans: 1, seconds: 60, endedAgo: 1_000_000 }),
    ...banAfter('five bans, the last one long forgotten', 5, { bans: 1, seconds: 60, endedAgo: 100_000_000 }),
  ],

  'a clock that is set back grants no second quota': casesOn(bothWindows, {
    'within the minute': [
      ['12:00:30', 3, 'allowed'],
      ['12:00:10', 1, 'limited', { remaining: 0, reset: '12:01:00' }],
    ],
    'into the previous minute: the later one continues': [
      ['12:01:00', 3, 'allowed'],
      ['12:00:59.990', 1, 'limited', { remaining: 0, reset: '12:02:00' }],
    ],
    'by an hour: the count moves to the current minute': [
      ['12:00:30', 3, 'allowed'],
      ['11:00:30', 1, 'limited', { remaining: 0, reset: '11:01:00' }],
    ],
    'by a year': [
      ['12:00:30', 3, 'allowed'],
      ['2025-12-01T12:00:30', 1, 'limited', { remaining: 0, reset: '2025-12-01T12:01:00' }],
    ],
    'over the edge of a minute, back and forth': [
      ['12:00:59.990', 1, 'allowed', { quota: { perMinute: 3, perDay: 1_000 } }],
      ['12:01:00.010', 1, 'allowed'],
      ['12:00:59.990', 1, 'allowed'],
      ['12:01:00.010', 1, 'allowed'],
      ...Array.from(
        { length: 46 },
        (_, index): Step => [index % 2 === 0 ? '12:00:59.990' : '12:01:00.010', 1, 'limited'],
      ),
    ],
    'over midnight': [
      ['12:00:00', 3, 'allowed'],
      ['12:01:00', 3, 'allowed'],
      ['12:02:00', 2, 'allowed'],
      ['12:02:00', 1, 'limited'],
      ['2026-11-30T23:59:59', 1, 'limited', { limit: 8, remaining: 0 }],
    ],
  }),

  'a clock that is set back locks a caller out for at most two windows': casesOn(bothWindows, {
    ...minuteUsedUpThenSetBackTo('11:59:59', 61),
    ...minuteUsedUpThenSetBackTo('11:00:00', 60),
    ...minuteUsedUpThenSetBackTo('2015-12-20T12:00:00', 60),
    ...dayUsedUpThenSetBackTo('2026-11-30T23:59:59.999', 86_401),
    ...dayUsedUpThenSetBackTo('2015-12-20T12:00:00', 43_200),
  }),

  'a clock that is set forward': casesOn(bothWindows, {
    'grants one new window, and none when it is set back again': [
      ['12:00:00', 3, 'allowed'],
      ['2028-01-05T12:00:00', 1, 'allowed', { remaining: 2 }],
      ['12:00:00', 2, 'allowed'],
      ['12:00:00', 1, 'limited', { remaining: 0 }],
    ],
  }),

  'a ban by a clock that was ahead': [
    ...clampedBan(0, 60),
    ...clampedBan(2, 120),
    ...clampedBan(2_000, 200),
    {
      name: 'is not extended if it ends sooner than a new one would',
      quota: bothWindows,
      rules,
      start: { bans: 3, bannedUntil: at('12:00:05') },
      steps: [['12:00:00', 1, 'banned', { retryAfter: 5 }]],
    },
  ],

  'refusals around a step back of the clock': casesOn(
    { perMinute: 3, perDay: 1_000 },
    {
      'before it do not lead to a ban': [
        ['12:00:30', 3, 'allowed'],
        ['12:00:30', 1, 'limited'],
        ['12:00:20', 4, 'limited'],
      ],
      'after it lead to a ban when the grace time is over': [
        ['12:00:30', 3, 'allowed'],
        ['12:00:30', 1, 'limited'],
        ['12:00:10', 1, 'limited'],
        ['12:00:12', 2, 'limited'],
        ['12:00:12', 1, 'banned', { banStarted: true }],
      ],
    },
  ),
};

function casesOn(quota: Quota, steps: Record<string, Step[]>): LimitCase[] {
  return Object.entries(steps).map(([name, all]) => ({ name, quota, rules, steps: all }));
}

type NextBan = { bans: number; seconds: number /** Milliseconds since the last ban ended. */; endedAgo?: number };

function banAfter(name: string, bansBefore: number, { bans, seconds, endedAgo = 12_000 }: NextBan): LimitCase[] {
  const now = at('12:00:12');
  const usage = { bans, bannedUntil: now + seconds * SECOND };
  return [
    {
      name: `after ${name}, is ${seconds} seconds`,
      quota: minuteOnly,
      rules,
      start: { bans: bansBefore, bannedUntil: bansBefore === 0 ? 0 : now - endedAgo },
      steps: [...refused, ['12:00:12', 1, 'banned', { banStarted: true, retryAfter: seconds, usage }]],
    },
  ];
}

function minuteUsedUpThenSetBackTo(time: string, retryAfter: number): Record<string, Step[]> {
  return {
    [`that has used up the minute, when it is set back from 12:00 to ${time}`]: [
      ['12:00:00', 3, 'allowed'],
      [time, 1, 'limited', { retryAfter }],
      ['after Retry-After', 1, 'allowed'],
    ],
  };
}

function dayUsedUpThenSetBackTo(time: string, retryAfter: number): Record<string, Step[]> {
  return {
    [`that has used up the day, when it is set back from 12:00 to ${time}`]: [
      ['12:00:00', 3, 'allowed'],
      ['12:00:00', 5, 'limited'],
      [time, 1, 'limited', { limit: 8, retryAfter }],
      ['after Retry-After', 1, 'allowed'],
    ],
  };
}

function clampedBan(bans: number, seconds: number): LimitCase[] {
  const end = new Date(at('12:00:00') + seconds * SECOND).toISOString().slice(0, 19);
  const lastSecond = new Date(at('12:00:00') + (seconds - 1) * SECOND).toISOString().slice(0, 19);
  return [
    {
      name: `with ${bans} bans in a row lasts ${seconds} seconds from the next request on`,
      quota: bothWindows,
      rules,
      start: { bans, bannedUntil: yearsAhead },
      steps: [
        ['12:00:00', 1, 'banned', { retryAfter: seconds, banStarted: false }],
        [lastSecond, 1, 'banned', { retryAfter: 1 }],
        [end, 1, 'allowed'],
      ],
    },
  ];
}
