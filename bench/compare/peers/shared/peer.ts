import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { basePath, type NewPet, type Pet, type PetStatus } from '@animal-store/contract';
import { type Admission, createAdmission, originOf, type RequestHead } from './admission.ts';
import { cursorAfter, openDatabase, readCursor } from './database.ts';
import { type MaybePromise, mapMaybe } from './maybe-promise.ts';

/** A validated query of the listing. */
export type ListQuery = { limit: number; status?: PetStatus | undefined; cursor?: string | undefined };

/** A page of pets, and the Link header that leads to the next one, if there is one. */
export type Page = { pets: Pet[]; link: string | undefined };

/** Everything the peers share, so that they differ only in how they read, validate, route and answer a request. */
export type Peer = {
  admit(request: RequestHead): MaybePromise<Admission>;
  /** Undefined if the cursor is not valid. */
  list(query: ListQuery, headers: IncomingHttpHeaders): MaybePromise<Page | undefined>;
  find(id: number): MaybePromise<Pet | undefined>;
  /** The pet is on disk when this returns or resolves. */
  add(pet: NewPet): MaybePromise<Pet>;
  locationOf(pet: Pet, headers: IncomingHttpHeaders): string;
  close(): void;
};

/** The ETag of a response, and its caching policy: pages and pets must be revalidated, a new pet must not be cached. */
export function cachingHeaders(status: number, payload: string, link = ''): Record<string, string> {
  const etag = { ETag: `"${hash('sha1', `${payload}${link}`, 'base64url')}"` };
  return status === 200 ? { ...etag, 'Cache-Control': 'private, no-cache', Vary: 'Authorization' } : etag;
}

export async function openPeer(): Promise<Peer> {
  const database = await openDatabase();

  return {
    admit: createAdmission(database),
    list({ limit, status, cursor }, headers) {
      const after = cursor === undefined ? 0 : readCursor(cursor);
      if (after === undefined) return undefined;
      return mapMaybe(database.list({ limit: limit + 1, status, after }), (pets): Page => {
        if (pets.length <= limit) return { pets, link: undefined };
        pets.pop();
        const filter = status === undefined ? '' : `&status=${status}`;
        const next = `${basePath}/pets?limit=${limit}${filter}&cursor=${cursorAfter(pets.at(-1)?.id ?? 0)}`;
        return { pets, link: `<${originOf(headers)}${next}>; rel="next"` };
      });
    },
    find: (id) => database.find(id),
    add: (pet) => database.add(pet),
    locationOf: ({ id }, headers) => `${originOf(headers)}${basePath}/pets/${id}`,
    close: () => database.close(),
  };
}
