import type { ClientEvent } from '@animal-store/client';
import type { Outcome } from '../sending/add-row.ts';

/** What delays the import: the quota, until that time (Unix milliseconds), or an API that does not respond. */
export type Hold = { kind: 'quota' | 'ban'; until: number } | { kind: 'trouble' };

/** The progress of an import. Times are Unix milliseconds. */
export type Progress = {
  /** The number of rows to import. */
  total: number;
  /** The number of rows by outcome. */
  counts: Record<Outcome['kind'], number>;
  startedAt: number;
  hold: Hold | undefined;
};

export function newProgress(total: number, startedAt: number): Progress {
  return { total, counts: { added: 0, alreadyThere: 0, refused: 0, unsure: 0 }, startedAt, hold: undefined };
}

/** The number of rows with an outcome. */
export function settledRows({ counts }: Progress): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** What delays the import after an event of the client at `now` (Unix milliseconds). `hold` is the previous state. */
export function holdAfter(hold: Hold | undefined, event: ClientEvent, now: number): Hold | undefined {
  if (event.type === 'gate') {
    if (event.state === 'open') return undefined;
    return { kind: event.code === 'key_banned' ? 'ban' : 'quota', until: now + event.retryAfter };
  }
  // A refusal for the quota also shuts the gate, whose event contains more.
  if (event.type === 'retry' && event.cause !== 429) return { kind: 'trouble' };
  if (event.type === 'response' && event.status < 500 && hold?.kind === 'trouble') return undefined;
  return hold;
}
