import type * as generic from '@contract-first/service/storage';
import { type MigrateOption, openStorageWith, type StoreDefinition } from '@contract-first/service/storage';
import { type MyApiStore, reader, writer } from './store.ts';

export type Storage = generic.Storage<MyApiStore>;

/** Both engines run the same statements. If one needs another SQL, give it a `reader` and a `writer` of its own. */
export const storeDefinition: StoreDefinition<MyApiStore> = {
  name: 'my-api',
  sqlite: { migrations: new URL('migrations/sqlite/', import.meta.url), reader, writer },
  postgres: { migrations: new URL('migrations/postgres/', import.meta.url), reader, writer },
};

export function openStorage(databaseUrl: string, option?: MigrateOption): Promise<Storage> {
  return openStorageWith(storeDefinition, databaseUrl, option);
}
