/** Helpers for the commands of an API: settings, and messages for operators. */
export { ConfigError, readDatabase } from './config/config.ts';
export { defaultDatabaseUrl, nameOf } from './storage/open.ts';
export { operatorMessage } from './storage/storage.ts';
