/**
 * The mocked store of the second contract. In a copy of the project with that contract, this replaces src/mocks/store.ts.
 */
import type { Note } from '@animal-store/contract';
import { type MockStore, matchesVersion } from '@contract-first/client/mocks';
import type { MockResolvers } from './documented.ts';

export type MockData = { notes: readonly Note[] };

export function createMockStore({ notes: seed = [] }: Partial<MockData> = {}): MockStore<MockData, MockResolvers> {
  let notes = new Map<number, Note>();
  reset();

  function reset(): void {
    notes = new Map(seed.map((note) => [note.id, note]));
  }

  function save(note: Note): Note {
    notes.set(note.id, note);
    return note;
  }

  const resolvers: MockResolvers = {
    listNotes({ query: { tag = [], minWeight = 0 } }) {
      const hasTag = ({ tags = [] }: Note) => tag.length === 0 || tags.some((each) => tag.includes(each));
      return { status: 200, body: [...notes.values()].filter((note) => hasTag(note) && note.weight >= minWeight) };
    },
    createNote: ({ body }) => ({ status: 201, body: save({ id: notes.size + 1, ...body }) }),
    getNote({ path: { noteId } }) {
      const note = notes.get(noteId);
      return note === undefined ? { status: 404 } : { status: 200, body: note };
    },
    updateNote({ path: { noteId }, header, body }) {
      const note = notes.get(noteId);
      if (note === undefined) return { status: 404 };
      if (!matchesVersion(header['If-Match'], note)) return { status: 412 };
      return { status: 200, body: save({ ...note, ...body }) };
    },
    replaceNote({ path: { noteId }, body }) {
      if (!notes.has(noteId)) return { status: 404 };
      return { status: 200, body: save({ id: noteId, ...body }) };
    },
    deleteNote: ({ path: { noteId } }) => (notes.delete(noteId) ? { status: 204 } : { status: 404 }),
  };

  return {
    resolvers,
    refresh: () => {},
    reset,
    get data() {
      return { notes: [...notes.values()] };
    },
  };
}
