import { setTimeout as sleep } from 'node:timers/promises';
import { type AnimalStore, type NewPet, toApiError } from '@animal-store/client';
import { limits } from '@animal-store/contract';
import { readFailure } from './failure.ts';
import type { Journal } from './journal.ts';
import type { Patience } from './patience.ts';

/** What has become of a row. */
export type Outcome = { kind: 'added' } | { kind: 'alreadyThere' } | { kind: 'refused' | 'unsure'; reason: string };

export type Adding = {
  store: AnimalStore;
  journal: Journal;
  patience: Patience;
  /** Unix milliseconds. */
  clock: () => number;
  /** Send rows, too, of which only the API could have known whether they were added, and has forgotten. */
  resendUnsure: boolean;
  signal: AbortSignal;
};

/** How long before its end the API's memory is no more relied on, in milliseconds: clocks differ, and calls wait. */
const MARGIN = 600_000;

/** From when on a key that was sent may be unknown to the API again, in milliseconds. */
const REMEMBERED = limits.idempotencySeconds * 1_000 - MARGIN;

/** The time between two calls for one row, each with the retries of the client, in milliseconds. */
const PAUSE = 1_000;

/**
 * Adds a row, however often it has to be sent for that: always under the same key, so that the API adds it once.
 *
 * @throws ImportError when the import cannot go on; the reason of the signal when that aborts
 */
export async function addRow(pet: NewPet, key: string, adding: Adding): Promise<Outcome> {
  const { store, journal, patience, clock, resendUnsure, signal } = adding;
  if (journal.wasAdded(key)) return { kind: 'alreadyThere' };
  const sentByAnEarlierRun = journal.firstSentAt(key) !== undefined;
  for (;;) {
    const sentAt = journal.firstSentAt(key);
    if (!resendUnsure && sentAt !== undefined && clock() - sentAt > REMEMBERED) return unsure(sentAt);
    try {
      const init = { body: pet, params: { header: { 'Idempotency-Key': key } }, signal };
      const { data, error, response } = await store.POST('/pets', init);
      if (data === undefined) throw toApiError(error, response);
      journal.noteAdded(key, data.id);
      patience.answered();
      // Else it may be the reply to a try of this run that got lost. A journal that was lost knows of no earlier run.
      const isOfEarlierRun = sentByAnEarlierRun || journal.timesSent(key) === 1;
      const wasReplayed = response.headers.has('Idempotency-Replayed');
      return { kind: wasReplayed && isOfEarlierRun ? 'alreadyThere' : 'added' };
    } catch (error) {
      signal.throwIfAborted();
      const failure = readFailure(error);
      if (failure.kind === 'refused') return failure;
      patience.failed(failure.error);
      await sleep(PAUSE * (0.5 + Math.random()), undefined, { signal });
    }
  }
}

/** Sent again, it could be a second animal; not sent, it could be missing. Only people can find out. */
function unsure(sentAt: number): Outcome {
  const when = new Date(sentAt).toISOString().slice(0, 16).replace('T', ' ');
  const reason = `was sent at ${when} UTC without a response, and the API no longer remembers it. Check whether \
the animal exists. If it does, remove the row from the file; if not, run again with --resend-unsure`;
  return { kind: 'unsure', reason };
}
