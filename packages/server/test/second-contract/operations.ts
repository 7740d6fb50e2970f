/** The operations of the second contract, and the service that they make. */

import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import * as service from '@contract-first/service';
import { checkIfMatch, type ServiceParts } from '@contract-first/service';
import { contract, type ErrorCode, type Note, type OperationId } from './api-contract.ts';
import { type NoteStore, type Reader, storeDefinition } from './storage.ts';

type Contract = typeof contract;

type Result<Id extends OperationId> = service.Result<Contract, Id>;
type Call<Id extends OperationId> = service.Call<Contract, Id, NoteStore>;
type Operations = service.Operations<Contract, NoteStore>;

/** An error response with a code of this contract; see the class of the service. */
const ApiError: new <Code extends ErrorCode>(
  code: Code,
  message: string,
  options?: service.ApiErrorOptions,
) => service.ApiError<Code> = service.ApiError;

/** @throws ApiError 404 */
async function noteOf(storage: Reader, id: number): Promise<Note> {
  const note = await storage.findNote(id);
  if (note === undefined) throw new ApiError('note_not_found', `No note has the ID ${id}.`);
  return note;
}

/** Every note, page by page. */
async function* allNotes(storage: Reader, signal: AbortSignal): AsyncGenerator<Note> {
  let after = 0;
  while (!signal.aborted) {
    const page = await storage.listNotes({ after, limit: 100 });
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

async function* asCsv(notes: AsyncIterable<Note>): AsyncGenerator<string> {
  yield 'id,title\n';
  for await (const { id, title } of notes) yield `${id},"${title.replaceAll('"', '""')}"\n`;
}

async function listNotes({ query, header, storage }: Call<'listNotes'>): Promise<Result<'listNotes'>> {
  const { limit, tag, minWeight = 0 } = query;
  const notes = await storage.listNotes({ after: 0, limit });
  const found = notes.filter(
    ({ weight, tags = [] }) => weight >= minWeight && (tag?.some((each) => tags.includes(each)) ?? true),
  );
  const depth: number = header['X-Depth'] ?? 3;
  return { status: 200, body: header['X-Region'] === 'south' || depth < 2 ? [] : found };
}

async function createNote({ body, storage, urlOf }: Call<'createNote'>): Promise<Result<'createNote'>> {
  const note = await storage.addNote(body);
  return { status: 201, body: note, headers: { Location: urlOf('getNote', { path: { noteId: note.id } }) } };
}

async function getNote({ path, storage }: Call<'getNote'>): Promise<Result<'getNote'>> {
  return { status: 200, body: await noteOf(storage, path.noteId) };
}

async function replaceNote({ path, body, storage }: Call<'replaceNote'>): Promise<Result<'replaceNote'>> {
  const { id } = await noteOf(storage, path.noteId);
  const note = { ...body, id };
  await storage.replaceNote(note);
  return { status: 200, body: await noteOf(storage, id) };
}

async function updateNote({ path, header, body, storage }: Call<'updateNote'>): Promise<Result<'updateNote'>> {
  const note = await noteOf(storage, path.noteId);
  const refusal = checkIfMatch(header['If-Match'], note);
  if (refusal !== undefined) return refusal;
  await storage.replaceNote({ ...note, ...body });
  return { status: 200, body: await noteOf(storage, note.id) };
}

async function deleteNote({ path, storage }: Call<'deleteNote'>): Promise<Result<'deleteNote'>> {
  await noteOf(storage, path.noteId);
  await storage.removeNote(path.noteId);
  return { status: 204 };
}

async function getPhoto({ path, storage }: Call<'getPhoto'>): Promise<Result<'getPhoto'>> {
  const photo = await storage.findPhoto(path.noteId);
  if (photo === undefined) return new ApiError('note_not_found', `The note ${path.noteId} has no photo.`);
  return { status: 200, body: photo };
}

async function setPhoto({ path, body, storage }: Call<'setPhoto'>): Promise<Result<'setPhoto'>> {
  await noteOf(storage, path.noteId);
  await storage.setPhoto(path.noteId, body);
  return { status: 204 };
}

async function getTitle({ path, storage }: Call<'getTitle'>): Promise<Result<'getTitle'>> {
  return { status: 200, body: (await noteOf(storage, path.noteId)).title };
}

async function setText({ path, body, contentType, storage }: Call<'setText'>): Promise<Result<'setText'>> {
  const note = await noteOf(storage, path.noteId);
  await storage.replaceNote({ ...note, text: contentType === 'text/markdown' ? body.replaceAll('*', '') : body });
  return { status: 204 };
}

async function checkArchive({ body }: Call<'checkArchive'>): Promise<Result<'checkArchive'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  // A test waits for these lines, and counts the ones below.
  console.log('an archive was begun');
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      hash.update(chunk);
    }
  } finally {
    console.log('an archive was closed');
  }
  return { status: 200, body: { bytes, sha256: hash.digest('hex') } };
}

async function exportNotes({ query, accept, storage, signal }: Call<'exportNotes'>): Promise<Result<'exportNotes'>> {
  const notes = repeat(query.count, () => allNotes(storage, signal));
  if (accept === 'text/csv') return { status: 200, contentType: 'text/csv', body: asCsv(notes) };
  return { status: 200, contentType: 'application/x-ndjson', body: notes };
}

async function* repeat(count: number, make: () => AsyncIterable<Note>): AsyncGenerator<Note> {
  for (let done = 0; done < count; done += 1) yield* make();
}

async function exportTable({ storage, signal }: Call<'exportTable'>): Promise<Result<'exportTable'>> {
  return { status: 200, body: asCsv(allNotes(storage, signal)) };
}

async function watchNotes({ storage, signal }: Call<'watchNotes'>): Promise<Result<'watchNotes'>> {
  return { status: 200, body: watch(() => allNotes(storage, signal), signal) };
}

/** Repeats the notes until the caller disconnects. */
async function* watch(notes: () => AsyncIterable<Note>, signal: AbortSignal): AsyncGenerator<Note> {
  while (!signal.aborted) {
    yield* notes();
    await setTimeout(20);
  }
}

async function getAbout({ caller }: Call<'getAbout'>): Promise<Result<'getAbout'>> {
  // Compiles only if a public operation has no caller.
  const noCaller: undefined = caller;
  return { status: 200, body: { name: `Field Notes${noCaller ?? ''}` } };
}

const operations: Operations = {
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

export const api = {
  contract,
  folder: new URL('generated/', import.meta.url),
  operations,
  store: storeDefinition,
  firstCalls: (apiUrl: string) => [`curl "${apiUrl}/about"`],
} satisfies Omit<ServiceParts<NoteStore, typeof contract>, 'main'>;
