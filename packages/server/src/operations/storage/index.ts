import type * as generic from '@contract-first/service/storage';
import {
  type MigrateOption,
  migrateWith,
  openStorageWith,
  type StoreDefinition,
} from '@contract-first/service/storage';
import { postgres, sqlite } from './dialect.ts';
import { type PetStore, storeOn } from './store.ts';

export type Storage = generic.Storage<PetStore>;
export type Transaction = generic.Transaction<PetStore>;

export const storeDefinition: StoreDefinition<PetStore> = {
  name: 'animal-store',
  sqlite: { migrations: new URL('migrations/sqlite/', import.meta.url), ...storeOn(sqlite) },
  postgres: { migrations: new URL('migrations/postgres/', import.meta.url), ...storeOn(postgres) },
};

/**
 * Opens the database that a URL names, and brings its tables up to date unless `option` is `never`.
 * @throws StorageSetupError if the URL is not valid, or the database cannot be opened or is newer than this program
 */
export function openStorage(databaseUrl: string, option?: MigrateOption): Promise<Storage> {
  return openStorageWith(storeDefinition, databaseUrl, option);
}

/** Runs the pending migrations of the database that a URL names, and returns their names. */
export function migrateStorage(databaseUrl: string): Promise<string[]> {
  return migrateWith(storeDefinition, databaseUrl);
}
