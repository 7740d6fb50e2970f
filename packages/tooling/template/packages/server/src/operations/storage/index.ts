import type * as generic from '@contract-first/service/storage';
import { type MigrateOption, openStorageWith, type StoreDefinition } from '@contract-first/service/storage';
import { reader, writer } from './postgres.ts';
import { prepareStore } from './sqlite.ts';
import type { MyApiStore } from './store.ts';

export type Storage = generic.Storage<MyApiStore>;

export const storeDefinition: StoreDefinition<MyApiStore> = {
  name: 'my-api',
  sqlite: { migrations: new URL('migrations/sqlite/', import.meta.url), prepare: prepareStore },
  postgres: { migrations: new URL('migrations/postgres/', import.meta.url), reader, writer },
};

export function openStorage(databaseUrl: string, option?: MigrateOption): Promise<Storage> {
  return openStorageWith(storeDefinition, databaseUrl, option);
}
