import { setTimeout as sleep } from 'node:timers/promises';
import { type AnimalStore, type NewPet, toApiError } from '@animal-store/client';
import { limits } from '@animal-store/contract';
import { readFailure } from './failure.ts';
import type { Journal } from './journal.ts';
import type { Patience } from './patience.ts';

/** The outcome of a row. */
export type Outcome = { kind: 'added' } | { kind: 'alreadyThere' } | { kind: 'refused' | 'unsure'; reason: string };

export type Adding = {
  store: AnimalStore;
  journal: Journal;
  patience: Patience;
  /** Unix milliseconds. */
  clock: () => number;
  /** Whether to send rows again whose outcome is unknown because the API no longer remembers their keys. */
  resendUnsure: boolean;
  signal: AbortSignal;
};

/** A safety margin before the API forgets a key, in milliseconds, because clocks differ and calls wait. */
const MARGIN = 600_000;

/** The age in milliseconds from which the API may have forgotten a key. */
const REMEMBERED = limits.idempotencySeconds * 1_000 - MARGIN;

/** Milliseconds between two calls for one row, each with the retries of the client. */
const PAUSE = 1_000;

/**
 * Adds a row, and sends it as often as necessary, always with the same key, so that the API adds it only once.
 *
 * @throws ImportError if the import cannot continue; the reason of the signal if that aborts
 */
export async function addRow(pet: NewPet, key: string, adding: Adding): Promise<Outcome> {
  const { store, journal, patience, clock, resendUnsure, signal } = adding;
  if (journal.wasAdded(key)) return { kind: 'alreadyThere' };
  const wasSentByEarlierRun = journal.firstSentAt(key) !== undefined;
  for (;;) {
    const sentAt = journal.firstSentAt(key);
    if (!resendUnsure && sentAt !== undefined && clock() - sentAt > REMEMBERED) return unsure(sentAt);
    try {
      const init = { body: pet, params: { header: { 'Idempotency-Key': key } }, signal };
      const { data, error, response } = await store.POST('/pets', init);
      if (data === undefined) throw toApiError(error, response);
      journal.noteAdded(key, data.id);
      patience.answered();
      // Otherwise it may be the lost response to an attempt of this run. Without the journal, earlier runs are unknown.
      const isOfEarlierRun = wasSentByEarlierRun || journal.timesSent(key) === 1;
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

/** If the row is sent again, the animal may exist twice; if not, it may be missing. The user must find out. */
function unsure(sentAt: number): Outcome {
  const when = new Date(sentAt).toISOString().slice(0, 16).replace('T', ' ');
  const reason = `was sent at ${when} UTC without a response, and the API no longer remembers it. Check whether \
the animal exists. If it does, remove the row from the file; if not, run again with --resend-unsure`;
  return { kind: 'unsure', reason };
}
