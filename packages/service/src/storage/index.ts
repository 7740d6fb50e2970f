/** Building blocks for the store of an API, and the functions that open it. */
export type { MigrateOption } from './migrations/migrations.ts';
export { migrateWith, openStorageWith } from './open.ts';
export { integer, type Row, text, unexpected } from './rows.ts';
export type { Storage, StoreTypes, Transaction } from './storage.ts';
export {
  type EngineStore,
  type Send,
  type Statement,
  type StoreDefinition,
  statements,
  type Value,
} from './store-definition.ts';
