/** Invalid calls of a contract with every method and media type do not compile; see client.types.ts. */

import type { CallError } from '../../../client-core/src/index.ts';
import type { ReplyExamples } from '../../../client-core/test/fixture/generated/examples.ts';
import type { File, operations, paths } from '../../../client-core/test/fixture/generated/openapi.ts';
import type { Store } from '../../src/animal-store.ts';
import { unwrap } from '../../src/index.ts';
import type { AnimalStoreMocks } from '../../src/mocks/index.ts';

/** Compiles only if both types are the same, optional properties included. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function holds<_ extends true>(): void {}

declare const store: Store<paths>;
declare const mocks: AnimalStoreMocks<ReplyExamples, operations>;

const path = { fileId: 1 };
const params = { path, header: { 'If-Match': '"1"' } };
const conditional = { header: { 'If-None-Match': '"1"' } };

export async function requests(): Promise<void> {
  await store.PUT('/files/{fileId}', { params, body: new Blob([]) });
  await store.PUT('/files/{fileId}', { params, body: new Uint8Array() });
  await store.PUT('/files/{fileId}', { params, body: new Blob([]).stream() });
  await store.PUT('/files/{fileId}/note', { params: { path }, body: 'Rex', parseAs: 'text' });
  await store.PATCH('/files/{fileId}', { params, body: { name: null } });
  await store.GET('/files', { params: { query: { id: [1, 2] } } });

  // @ts-expect-error the header If-Match left out
  await store.PATCH('/files/{fileId}', { params: { path }, body: { name: null } });
  // @ts-expect-error a body that is JSON
  await store.PUT('/files/{fileId}', { params, body: { name: 'Rex' } });
  // @ts-expect-error text, for a picture
  await store.PUT('/files/{fileId}', { params, body: 'Rex' });
  // @ts-expect-error no body
  await store.PUT('/files/{fileId}', { params });
  // @ts-expect-error a value of another type among several
  await store.GET('/files', { params: { query: { id: ['rex'] } } });
}

export async function responses(): Promise<void> {
  const removed = await store.DELETE('/files/{fileId}', { params: { path } });
  holds<Same<typeof removed.data, undefined>>();
  holds<Same<typeof removed.error, CallError | undefined>>();
  const nothing = await unwrap(store.DELETE('/files/{fileId}', { params: { path } }));
  holds<Same<typeof nothing, undefined>>();

  const blob = await unwrap(store.GET('/files/{fileId}', { params: { path }, parseAs: 'blob' }));
  holds<Same<typeof blob, Blob>>();
  const stream = await unwrap(store.GET('/changes', { parseAs: 'stream' }));
  holds<Same<typeof stream, ReadableStream<Uint8Array<ArrayBuffer>> | null>>();
  const { error } = await store.GET('/files/{fileId}', { params: { path }, parseAs: 'text' });
  holds<Same<typeof error, CallError | undefined>>();
  // @ts-expect-error parseAs left out, though a picture is never JSON
  await store.GET('/files/{fileId}', { params: { path } });
  // @ts-expect-error a picture as JSON
  await store.GET('/files/{fileId}', { params: { path }, parseAs: 'json' });

  // JSON is one of the media types.
  const listed = await store.GET('/files');
  holds<Same<typeof listed.data, File[] | undefined>>();
  const csv = await unwrap(store.GET('/files', { parseAs: 'text', headers: { Accept: 'text/csv' } }));
  holds<Same<typeof csv, string>>();

  // A 304 has no data, and only this header asks for it.
  const known = await store.GET('/files', { params: conditional });
  if (known.error === undefined) holds<Same<typeof known.data, File[] | undefined>>();
  if (listed.error === undefined) holds<Same<typeof listed.data, File[]>>();
}

export function replies(): void {
  mocks.reply('deleteFile', 204);
  mocks.reply('listFiles', 304);
  mocks.reply('listFiles', 200, { body: 'id,name\n', example: 'files (text/csv)' });
  mocks.reply('getFile', 200, { body: new Uint8Array() });
  mocks.reply('listChanges', 200, { body: '{"id":1}\n' });
  mocks.reply('putNote', 201, { body: 'Rex' });

  // @ts-expect-error a body for a response that has none
  mocks.reply('deleteFile', 204, { body: null });
  // @ts-expect-error an example of another response
  mocks.reply('getFile', 200, { example: 'files' });
  // @ts-expect-error items of another shape
  mocks.reply('listChanges', 200, { body: [{ id: 1 }] });
}
