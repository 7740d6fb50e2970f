/** Building blocks for the store of an API, and the functions that open it. */
export type { MigrateOption } from './migrations/migrations.ts';
export { migrateWith, openStorageWith } from './open.ts';
export { integer, type Row, text, unexpected } from './rows.ts';
export type { Storage, StoreTypes, Transaction } from './storage.ts';
export {
  prepareAll,
  type Run,
  type Send,
  type Statement,
  type StoreDefinition,
  statements,
} from './store-definition.ts';
