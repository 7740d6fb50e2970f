/**
 * Uses the client and the mocks with the second contract, packages/server/test/second-contract. It compiles and runs only in a
 * copy of the project that has that contract, and prints its results as JSON.
 */
import { setupServer } from 'msw/node';
import { createAnimalStore, unwrap } from '../../src/index.ts';
import { animalStoreMocks } from '../../src/mocks/index.ts';
import { createAnimalStore as createNamedStore, listNotes } from '../../src/operations/index.ts';
import { createAnimalStoreQueries } from '../../src/queries/index.ts';

const { API_URL = '', API_KEY = '' } = process.env;
const textNote = { kind: 'text', title: 'Heron', weight: 0.5, seenOn: '2026-11-22', observer: null } as const;
const png = new Blob([new Uint8Array([137, 80, 78, 71])]);

/** Calls every kind of operation, and returns parts of the responses. */
async function use(baseUrl: string) {
  const store = createAnimalStore({ apiKey: API_KEY, baseUrl });
  const created = await store.POST('/notes', { body: { ...textNote, text: 'Seen at dawn.', tags: ['bird'] } });
  const path = { noteId: created.data?.id ?? 0 };
  const params = { path };

  const query = { tag: ['bird', 'fish'], minWeight: 0.5 };
  const listed = await store.GET('/notes', { params: { query, header: { 'X-Region': 'north', 'X-Depth': 2 } } });
  const first = await store.GET('/notes/{noteId}', { params });
  const known = { path, header: { 'If-None-Match': first.response.headers.get('ETag') ?? '' } };
  const same = await store.GET('/notes/{noteId}', { params: known });

  const matching = { path, header: { 'If-Match': created.response.headers.get('ETag') ?? '' } };
  const patched = await store.PATCH('/notes/{noteId}', { params: matching, body: { title: 'Stork' } });
  const replaced = await store.PUT('/notes/{noteId}', { params, body: { ...textNote, text: 'Seen at noon.' } });

  const setPhoto = await store.PUT('/notes/{noteId}/photo', { params, body: png });
  const photo = await unwrap(store.GET('/notes/{noteId}/photo', { params, parseAs: 'blob' }));
  const headers = { 'Content-Type': 'text/markdown' };
  const setText = await store.PUT('/notes/{noteId}/text', { params, body: '**Dusk**', headers });
  const archive = await unwrap(store.POST('/archives', { body: png.stream() }));

  const csv = await unwrap(store.GET('/export', { parseAs: 'text', headers: { Accept: 'text/csv' } }));
  const lines = await unwrap(store.GET('/export', { parseAs: 'stream' }));
  const [line = ''] = await textsOf(lines);
  const [event = ''] = await textsOf(await unwrap(store.GET('/events', { parseAs: 'stream' })));
  const about = await unwrap(store.GET('/about'));
  const removed = await store.DELETE('/notes/{noteId}', { params });
  return {
    statuses: [created, listed, same, patched, replaced, setPhoto, setText, removed].map(
      ({ response }) => response.status,
    ),
    data: [same.data, setPhoto.data, removed.data],
    listed: listed.data?.length,
    photo: [photo.type, photo.size > 0],
    archive: archive.bytes > 0,
    csv: csv.startsWith('id,title\n'),
    line: JSON.parse(line.split('\n')[0] ?? '').title,
    event: JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '').title,
    about: about.name,
  };
}

/** Calls the same kinds of operations by their names. */
async function callByName(baseUrl: string) {
  const store = createNamedStore({ apiKey: API_KEY, baseUrl });
  const { notes } = store;
  const created = await notes.create({ body: { ...textNote, text: 'Seen at dawn.' } }).withResponse();
  const noteId = created.data.id;
  const titles: string[] = [];
  for await (const { title } of listNotes(store, { tag: ['bird'], 'X-Region': 'north', 'X-Depth': 2 }))
    titles.push(title);
  const matching = created.response.headers.get('ETag') ?? '';
  const patched = await notes.update({ noteId, 'If-Match': matching, body: { title: 'Stork' } });
  await notes.setPhoto({ noteId, body: png });
  await notes.setText({ noteId, body: '**Dusk**' }, { headers: { 'Content-Type': 'text/markdown' } });
  const photo = await notes.getPhoto({ noteId });
  const archive = await notes.checkArchive({ body: png.stream() });
  const [line = ''] = await textsOf(await notes.export());
  const [event = ''] = await textsOf(await notes.watch());
  const about = await notes.getAbout();
  const [key] = createAnimalStoreQueries(store).queries.notes.getPhoto({ noteId }).queryKey;
  const removed = await notes.delete({ noteId });
  return {
    photo: [photo.type, photo.size > 0],
    archive: archive.bytes > 0,
    texts: [
      typeof JSON.parse(line.split('\n')[0] ?? '').title,
      event.startsWith('data: ') || event.includes('\ndata: '),
    ],
    about: about.name,
    titled: [titles.length, typeof patched.title],
    key,
    removed: removed === undefined,
  };
}

/** Reads the first chunk of a stream, then cancels it. */
async function textsOf(stream: ReadableStream<Uint8Array<ArrayBuffer>> | null): Promise<string[]> {
  for await (const text of stream?.pipeThrough(new TextDecoderStream()) ?? []) return [text];
  return [];
}

const real = { ...(await use(API_URL)), named: await callByName(API_URL) };
const baseUrl = 'https://notes.example/v1';
const mocks = animalStoreMocks({ baseUrl });
const server = setupServer(...mocks.handlers);
server.listen({ onUnhandledRequest: 'error' });
const mocked = { ...(await use(baseUrl)), named: await callByName(baseUrl) };
server.use(mocks.reply('getPhoto', 404));
const photo = createAnimalStore({ apiKey: API_KEY, baseUrl }).GET('/notes/{noteId}/photo', {
  params: { path: { noteId: 1 } },
  parseAs: 'blob',
});
const refusal = (await photo).error?.code;
server.close();
console.log(JSON.stringify({ real, mocked, refusal }));
