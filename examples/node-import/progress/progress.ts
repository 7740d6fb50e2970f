import type { ClientEvent } from '@animal-store/client';
import type { Outcome } from '../sending/add-row.ts';

/** What holds the import up: the quota, until then (Unix milliseconds), or an API that does not answer. */
export type Hold = { kind: 'quota' | 'ban'; until: number } | { kind: 'trouble' };

/** How far an import is. Times are Unix milliseconds. */
export type Progress = {
  /** Rows to be in the store in the end. */
  total: number;
  /** Rows by what has become of them. */
  counts: Record<Outcome['kind'], number>;
  startedAt: number;
  hold: Hold | undefined;
};

export function newProgress(total: number, startedAt: number): Progress {
  return { total, counts: { added: 0, alreadyThere: 0, refused: 0, unsure: 0 }, startedAt, hold: undefined };
}

/** The rows that are done with. */
export function settledRows({ counts }: Progress): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** What holds the import up after an event of the client at `now` (Unix milliseconds); `hold` is what did before. */
export function holdAfter(hold: Hold | undefined, event: ClientEvent, now: number): Hold | undefined {
  if (event.type === 'gate') {
    if (event.state === 'open') return undefined;
    return { kind: event.code === 'key_banned' ? 'ban' : 'quota', until: now + event.retryAfter };
  }
  // A refusal for the quota shuts the gate, which says more.
  if (event.type === 'retry' && event.cause !== 429) return { kind: 'trouble' };
  if (event.type === 'response' && event.status < 500 && hold?.kind === 'trouble') return undefined;
  return hold;
}
