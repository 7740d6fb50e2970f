/** The client and the mocks of the second contract, as the package of an API binds them. */
import { type Client, type ClientOptions, createClient } from '@contract-first/client';
import { createMocks, type MockOptions, type MockResolvers, matchesVersion, Table } from '@contract-first/client/mocks';
import { createResponseValidator } from '@contract-first/client/validate';
import type { Note, OperationTypes, paths } from '../../../server/test/second-contract/api-contract.ts';
import * as constants from '../../../server/test/second-contract/generated/constants.ts';
import { type ReplyExamples, replyExamples } from '../../../server/test/second-contract/generated/examples.ts';
import * as requests from '../../../server/test/second-contract/generated/requests.ts';
import * as responses from '../../../server/test/second-contract/generated/responses.ts';
import type { OperationErrors } from './generated/errors.ts';
import { namedMethods } from './generated/operations.ts';
import type { PathMethods } from './generated/paths.ts';
import { namedMutations, namedQueries } from './generated/queries.ts';

type FieldNotes = Client<paths, OperationErrors, PathMethods>;
export type Caller = Pick<FieldNotes, 'request'>;

const facts = {
  ...constants,
  name: 'field-notes',
  version: constants.contractVersion,
  validate: createResponseValidator(responses),
};

export function createFieldNotes(options: ClientOptions) {
  const client = createClient<paths, OperationErrors, PathMethods>(facts, options);
  return {
    ...{ client, ...namedMethods(client) },
    ...{ queries: namedQueries(client), mutations: namedMutations(client) },
  };
}

/** The mocked notes. Operations that have no resolver return the examples of the contract. */
export function fieldNotesMocks(options: MockOptions) {
  const notes = new Table<Note>([]);
  const ifFound = <Reply>(noteId: number, replyWith: (note: Note) => Reply) => {
    const note = notes.find(noteId);
    return note === undefined ? { status: 404 as const } : replyWith(note);
  };
  const resolvers: MockResolvers<ReplyExamples, OperationTypes> = {
    listNotes({ query: { tag, minWeight = 0 } }) {
      const hasTag = ({ tags = [] }: Note) => tag?.some((each) => tags.includes(each)) ?? true;
      return { status: 200, body: notes.rows.filter((note) => hasTag(note) && note.weight >= minWeight) };
    },
    createNote: ({ body }) => ({ status: 201, body: notes.add((id) => ({ id, ...body })) }),
    getNote: ({ path: { noteId } }) => ifFound(noteId, (body) => ({ status: 200, body })),
    updateNote: ({ path: { noteId }, header, body }) =>
      ifFound(noteId, (note) =>
        matchesVersion(header['If-Match'], note)
          ? { status: 200, body: notes.save({ ...note, ...body }) }
          : { status: 412 },
      ),
    replaceNote: ({ path: { noteId }, body }) =>
      ifFound(noteId, () => ({ status: 200, body: notes.save({ id: noteId, ...body }) })),
    deleteNote({ path: { noteId } }) {
      if (notes.find(noteId) === undefined) return { status: 404 };
      notes.remove(noteId);
      return { status: 204 };
    },
  };
  const contract = { ...constants, ...requests, replyExamples };
  const store = { data: notes.rows, resolvers, refresh: () => {}, reset: () => notes.reset() };
  return createMocks<ReplyExamples, OperationTypes, readonly Note[]>(contract, options, store);
}
