/** The clients, mocks, queries and docs of two contracts in one process. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { setupServer } from 'msw/node';
import { act } from 'react';
import { renderHook } from '../../../client-core/test/render.ts';
import { api as animalsApi } from '../../../server/src/operations/api.ts';
import { contract as notesContract } from '../../../server/test/second-contract/api-contract.ts';
import { api as notesApi } from '../../../server/test/second-contract/operations/api.ts';
import { startService } from '../../../server/test/second-contract/start-service.ts';
import { contractDocument } from '../../../tooling/src/contract/generated.ts';
import { operationFiles } from '../../../tooling/src/docs/operations/operation-files.ts';
import { errorsPage } from '../../../tooling/src/docs/pages/errors-page.ts';
import { searchEntries } from '../../../tooling/src/docs/search/build-index.ts';
import { textNote } from '../../../tooling/test/second-contract-fixture.ts';
import { createAnimalStore, isApiError, unwrap } from '../../src/index.ts';
import { animalStoreMocks } from '../../src/mocks/index.ts';
import { createAnimalStoreQueries } from '../../src/queries/index.ts';
import { createFieldNotes, fieldNotesMocks } from './field-notes.ts';

type Notes = ReturnType<typeof createFieldNotes>;

/** Clients of both contracts. */
function clientsOf(animals: { baseUrl: string; apiKey: string }, notes: { baseUrl: string; apiKey: string }) {
  return { animals: createAnimalStore(animals), notes: createFieldNotes(notes) };
}

let ofServers: ReturnType<typeof clientsOf>;
const stack = new AsyncDisposableStack();
beforeAll(async () => {
  const animals = stack.use(await startService(animalsApi, 'sqlite::memory:'));
  const notes = stack.use(await startService(notesApi, 'sqlite::memory:'));
  const optionsOf = ({ origin, secret }: typeof animals) => ({ baseUrl: `${origin}/v1`, apiKey: secret });
  ofServers = clientsOf(optionsOf(animals), optionsOf(notes));
});
afterAll(() => stack.disposeAsync());

const urls = { animals: 'https://animals.example/v1', notes: 'https://notes.example/v1' };
const mocks = {
  animals: animalStoreMocks({ baseUrl: urls.animals }),
  notes: fieldNotesMocks({ baseUrl: urls.notes }),
};
const mocked = setupServer(...mocks.animals.handlers, ...mocks.notes.handlers);
beforeAll(() => mocked.listen({ onUnhandledRequest: 'bypass' }));
afterAll(() => mocked.close());
const ofMocks = clientsOf({ baseUrl: urls.animals, apiKey: 'a' }, { baseUrl: urls.notes, apiKey: 'b' });

const png = new Blob([new Uint8Array([137, 80, 78, 71])]);

describe.each([
  ['a server', () => ofServers],
  ['the mocks', () => ofMocks],
])('with %s', (_name, clients) => {
  test('operations of the second contract can be called by their paths', async () => {
    expect(await callByPath(clients().notes)).toEqual({
      statuses: [201, 200, 304, 200, 200, 204, 204],
      listed: 1,
      photo: ['image/png', true],
      csv: true,
    });
  });

  test('every kind of operation of the second contract can be called by its name', async () => {
    expect(await callByName(clients().notes)).toEqual({
      photo: ['image/png', true],
      archive: true,
      texts: ['string', 'id,title'],
      titles: ['Heron', 'Heron', 'Stork'],
      about: 'Field Notes',
      listed: true,
      removed: undefined,
    });
  });

  test('clients of both contracts reach their own API, and report its errors', async () => {
    const { animals, notes } = clients();
    const [pet, note] = await Promise.all([
      animals.pets.create({ body: { name: 'Rex', categoryId: 3, status: 'available' } }),
      notes.notes.create({ body: textNote }),
    ]);
    expect([pet.name, note.title]).toEqual(['Rex', 'Heron']);
    const failed = [animals.pets.delete({ petId: 999 }), notes.notes.delete({ noteId: 999 })];
    const codes = await Promise.all(
      failed.map((call) => call.catch((error: unknown) => isApiError(error) && error.code)),
    );
    expect(codes).toEqual(['pet_not_found', 'note_not_found']);
  });

  test('queries of both contracts work on one page', async () => {
    const { animals, notes } = clients();
    const { queries } = createAnimalStoreQueries(animals);
    const page = await renderHook(() => ({
      pets: useQuery(queries.pets.list({ limit: 1 })),
      listed: useQuery(notes.queries.notes.list()),
      list: useInfiniteQuery(notes.queries.notes.list.infinite()),
      change: useMutation(notes.mutations.notes.create()),
    }));
    const before = (
      await page.until(({ pets, listed, list }) => [pets, listed, list].every(({ isSuccess }) => isSuccess))
    ).listed.data?.length;
    await act(async () => void (await page.current.change.mutateAsync({ body: { ...textNote, text: 'At noon.' } })));
    await act(async () => void (await page.current.listed.refetch()));
    const { pets, listed } = await page.until(({ listed: { data } }) => data?.length !== before);
    expect([pets.data?.length, listed.data?.length, listed.data?.at(-1)?.title]).toEqual([
      1,
      (before ?? 0) + 1,
      'Heron',
    ]);
    await page.unmount();
  });
});

test('a mock of one contract responds with an error of that contract, and does not affect the other', async () => {
  mocked.use(mocks.notes.reply('getPhoto', 404), mocks.animals.reply('getKey', 401));
  const { client } = ofMocks.notes;
  const { error } = await client.GET('/notes/{noteId}/photo', { params: { path: { noteId: 1 } }, parseAs: 'blob' });
  expect([error?.code, (await ofMocks.animals.GET('/key')).error?.code]).toEqual(['note_not_found', 'api_key_missing']);
  mocked.resetHandlers();
  expect((await ofMocks.animals.keys.get()).plan).toBe('business');
});

test('the types of each client know only the operations and the errors of its contract', async () => {
  const { animals, notes } = ofServers;
  // @ts-expect-error: it has no notes.
  expect((await animals.GET('/notes')).response.status).toBe(404);
  // @ts-expect-error: it has no animals.
  const { error } = await notes.client.GET('/pets');
  // @ts-expect-error: it is a code of the other contract.
  expect(error?.code === 'pet_not_found').toBe(false);
});

test('the docs of each contract have its operations, errors and search results, and none of the other', () => {
  const docsOf = (contract: ReturnType<typeof contractDocument>) => ({
    pages: operationFiles(contract).map(({ path }) => path),
    text: [...operationFiles(contract), ...errorsPage(contract)].map(({ content }) => String(content)).join('\n'),
    found: searchEntries(contract, [], '').map(({ address }) => address),
  });
  const [animals, notes] = [docsOf(contractDocument()), docsOf(JSON.parse(notesContract.json))];
  for (const [docs, id, code, [otherId, otherCode]] of [
    [animals, 'createPet', 'pet_not_found', ['createNote', 'note_not_found']],
    [notes, 'createNote', 'note_not_found', ['createPet', 'pet_not_found']],
  ] as const) {
    const page = `operations/${id}.html`;
    expect([docs.pages, docs.found]).toEqual([expect.arrayContaining([page]), expect.arrayContaining([page])]);
    expect(docs.text).toContain(code);
    expect(`${docs.pages} ${docs.found} ${docs.text}`).not.toMatch(new RegExp(`${otherId}|${otherCode}`));
  }
});

/** Calls operations by their paths, and returns parts of the responses. */
async function callByPath({ client }: Notes) {
  const created = await client.POST('/notes', { body: { ...textNote, tags: ['bird'] } });
  const path = { noteId: created.data?.id ?? 0 };
  const params = { path };

  const query = { tag: ['bird', 'fish'], minWeight: 0.5 };
  const listed = await client.GET('/notes', { params: { query, header: { 'X-Region': 'north', 'X-Depth': 2 } } });
  const first = await client.GET('/notes/{noteId}', { params });
  const known = { path, header: { 'If-None-Match': first.response.headers.get('ETag') ?? '' } };
  const same = await client.GET('/notes/{noteId}', { params: known });

  const matching = { path, header: { 'If-Match': created.response.headers.get('ETag') ?? '' } };
  const patched = await client.PATCH('/notes/{noteId}', { params: matching, body: { title: 'Stork' } });
  const replaced = await client.PUT('/notes/{noteId}', { params, body: { ...textNote, text: 'Seen at noon.' } });
  const setPhoto = await client.PUT('/notes/{noteId}/photo', { params, body: png });
  const photo = await unwrap(client.GET('/notes/{noteId}/photo', { params, parseAs: 'blob' }));
  const csv = await unwrap(client.GET('/export', { parseAs: 'text', headers: { Accept: 'text/csv' } }));
  const removed = await client.DELETE('/notes/{noteId}', { params });
  return {
    statuses: [created, listed, same, patched, replaced, setPhoto, removed].map(({ response }) => response.status),
    listed: listed.data?.length,
    photo: [photo.type, photo.size > 0],
    csv: csv.startsWith('id,title\n'),
  };
}

async function callByName({ notes }: Notes) {
  const created = await notes.create({ body: { ...textNote, tags: ['bird'] } }).withResponse();
  const noteId = created.data.id;
  const listed: number[] = [];
  for await (const { id } of notes.list({ tag: ['bird'], 'X-Region': 'north', 'X-Depth': 2 })) listed.push(id);
  await notes.setPhoto({ noteId, body: png });
  const photo = await notes.getPhoto({ noteId });
  const archive = await notes.checkArchive({ body: png.stream() });
  const title = await notes.getTitle({ noteId });
  const table = await firstText(await notes.exportTable());
  const line = await firstText(await notes.export());
  const event = await firstText(await notes.watch());
  const matching = created.response.headers.get('ETag') ?? '';
  const patched = await notes.update({ noteId, 'If-Match': matching, body: { title: 'Stork' } });
  await notes.setText({ noteId, body: '**Dusk**' }, { headers: { 'Content-Type': 'text/markdown' } });
  const about = await notes.getAbout();
  return {
    photo: [photo.type, photo.size > 0],
    archive: archive.bytes > 0,
    titles: [line.split('\n')[0], /^data: (.*)$/m.exec(event)?.[1]]
      .map((json) => JSON.parse(json ?? '').title)
      .concat(patched.title),
    texts: [typeof title, table.split('\n')[0]],
    about: about.name,
    listed: listed.includes(noteId),
    removed: await notes.delete({ noteId }),
  };
}

/** The first chunk of a stream, which is then cancelled. */
async function firstText(stream: ReadableStream<Uint8Array<ArrayBuffer>> | null): Promise<string> {
  for await (const text of stream?.pipeThrough(new TextDecoderStream()) ?? []) return text;
  return '';
}
