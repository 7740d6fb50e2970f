import type { NewNote, Note } from '../../api-contract.ts';

export interface Reader {
  listNotes(query: { after: number; limit: number }): Promise<Note[]>;
  findNote(id: number): Promise<Note | undefined>;
  findPhoto(id: number): Promise<Uint8Array | undefined>;
}

export interface Writer extends Reader {
  addNote(note: NewNote): Promise<Note>;
  replaceNote(note: Note): Promise<void>;
  setPhoto(id: number, photo: Uint8Array): Promise<void>;
  removeNote(id: number): Promise<void>;
}

export type NoteStore = { reader: Reader; writer: Writer };
