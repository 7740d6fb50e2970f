import { setTimeout } from 'node:timers/promises';
import type { Note } from '../api-contract.ts';
import { allNotes } from './notes.ts';
import type { Call, Result } from './operation.ts';

export async function watchNotes({ storage, signal }: Call<'watchNotes'>): Promise<Result<'watchNotes'>> {
  return { status: 200, body: watch(() => allNotes(storage, signal), signal) };
}

/** Repeats the notes until the caller disconnects. */
async function* watch(notes: () => AsyncIterable<Note>, signal: AbortSignal): AsyncGenerator<Note> {
  while (!signal.aborted) {
    yield* notes();
    await setTimeout(20);
  }
}
