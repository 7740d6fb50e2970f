import { checkArchive } from './checkArchive.ts';
import { createNote } from './createNote.ts';
import { deleteNote } from './deleteNote.ts';
import { exportNotes } from './exportNotes.ts';
import { exportTable } from './exportTable.ts';
import { getAbout } from './getAbout.ts';
import { getNote } from './getNote.ts';
import { getPhoto } from './getPhoto.ts';
import { getTitle } from './getTitle.ts';
import { listNotes } from './listNotes.ts';
import type { Operations } from './operation.ts';
import { replaceNote } from './replaceNote.ts';
import { setPhoto } from './setPhoto.ts';
import { setText } from './setText.ts';
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
  getTitle,
  setText,
  checkArchive,
  exportNotes,
  exportTable,
  watchNotes,
  getAbout,
};
