import type { Clock } from '../common/time.ts';
import { checkArchive } from './checkArchive.ts';
import { createNote } from './createNote.ts';
import { deleteNote } from './deleteNote.ts';
import { exportNotes } from './exportNotes.ts';
import { getAbout } from './getAbout.ts';
import { getNote } from './getNote.ts';
import { getPhoto } from './getPhoto.ts';
import { listNotes } from './listNotes.ts';
import type { Operations } from './operation.ts';
import { replaceNote } from './replaceNote.ts';
import { setPhoto } from './setPhoto.ts';
import { setText } from './setText.ts';
import type { Storage } from './storage/index.ts';
import { updateNote } from './updateNote.ts';
import { watchNotes } from './watchNotes.ts';

export const operations: Operations = {
  listNotes,
  createNote,
  getNote,
  replaceNote,
  updateNote,
  deleteNote,
  getPhoto,
  setPhoto,
  setText,
  checkArchive,
  exportNotes,
  watchNotes,
  getAbout,
};

export function firstCalls(apiUrl: string): string[] {
  return [`curl "${apiUrl}/about"`];
}

export const everyMinute: (storage: Storage, clock: Clock) => Promise<void> = async () => {};
