import type { IncomingHttpHeaders } from 'node:http';
import { basePath, type NewPet, type Pet, type PetStatus } from '@animal-store/contract';
import { type Admission, type Arrival, openAdmission, originOf } from './admission.ts';
import { openDatabase } from './database.ts';

/** A validated query of the listing. */
export type ListQuery = { limit: number; status?: PetStatus | undefined; cursor?: string | undefined };

/** A page of animals, and where the next one is, if there is one. */
export type Page = { pets: Pet[]; link: string | undefined };

/** What all peers share: everything but how a request is read, validated, routed and answered. */
export type Peer = {
  admit(arrival: Arrival): Admission;
  /** Undefined for a cursor that was not given out here. */
  list(query: ListQuery, headers: IncomingHttpHeaders): Page | undefined;
  find(id: number): Pet | undefined;
  /** The animal is on disk when this returns. */
  add(pet: NewPet): Pet;
  locationOf(pet: Pet, headers: IncomingHttpHeaders): string;
  close(): void;
};

/** Opens the database that DATABASE_URL names. TRUST_PROXY=1 says that one proxy stands in front. */
export function openPeer(environment: NodeJS.ProcessEnv = process.env): Peer {
  const database = openDatabase(String(environment['DATABASE_URL']).slice('sqlite:'.length));
  const { admit, close } = openAdmission(database, environment['TRUST_PROXY'] === '1');

  return {
    admit,
    list({ limit, status, cursor }, headers) {
      const after = cursor === undefined ? 0 : readCursor(cursor);
      if (after === undefined) return undefined;
      const pets = database.list({ limit: limit + 1, status, after });
      if (pets.length <= limit) return { pets, link: undefined };
      pets.pop();
      return { pets, link: linkAfter(pets.at(-1)?.id ?? 0, limit, status, originOf(headers)) };
    },
    find: (id) => database.find(id),
    add: (pet) => database.add(pet),
    locationOf: ({ id }, headers) => `${originOf(headers)}${basePath}/pets/${id}`,
    close() {
      close();
      database.close();
    },
  };
}

function linkAfter(id: number, limit: number, status: PetStatus | undefined, origin: string): string {
  const filter = status === undefined ? '' : `&status=${status}`;
  return `<${origin}${basePath}/pets?limit=${limit}${filter}&cursor=${cursorAfter(id)}>; rel="next"`;
}

function cursorAfter(id: number): string {
  return Buffer.from(`after:${id}`).toString('base64url');
}

function readCursor(cursor: string): number | undefined {
  const id = Number(Buffer.from(cursor, 'base64url').toString().slice('after:'.length));
  return Number.isSafeInteger(id) && cursorAfter(id) === cursor ? id : undefined;
}
