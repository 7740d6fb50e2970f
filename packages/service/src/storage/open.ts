import { resolve } from 'node:path';
import type { MigrateOption } from './migrations/migrations.ts';
import { type DatabaseLimits, isPostgresUrl, postgresUrlProblem, withoutCredentials } from './postgres/settings.ts';
import { migrateSqlite, openSqlite } from './sqlite/storage.ts';
import { type Storage, StorageSetupError, type StoreTypes } from './storage.ts';
import type { StoreDefinition } from './store-definition.ts';

/** The database of a service unless DATABASE_URL names another; relative to the working directory. */
export function defaultDatabaseUrl(service: string): string {
  return `sqlite:data/${service}.db`;
}

/** A database in the memory of this process, which ends with it. */
export const memoryDatabaseUrl = 'sqlite::memory:';

const FORMS = `Use sqlite:PATH (such as ${defaultDatabaseUrl('store')}), ${memoryDatabaseUrl} or postgres://USER:PASSWORD@HOST:5432/DATABASE.`;

/** Why a database URL is not valid, in one sentence that says what to use; undefined for a valid one. */
export function databaseUrlProblem(url: string): string | undefined {
  if (url === memoryDatabaseUrl) return undefined;
  if (isPostgresUrl(url)) {
    const problem = postgresUrlProblem(url);
    return problem && `${problem} ${FORMS}`;
  }
  // The message does not repeat the URL, because it may contain a password.
  if (!url.startsWith('sqlite:')) return `The database URL does not name a supported engine. ${FORMS}`;
  const path = url.slice('sqlite:'.length);
  if (path === '') return `The database URL has no path. ${FORMS}`;
  if (path.includes('\0')) return `The path in the database URL contains a NUL character. ${FORMS}`;
  if (path.startsWith(':')) return `${url} is not a SQLite database. ${FORMS}`;
  // Other programs treat sqlite://a/b as relative; here it would be absolute and open the wrong file.
  if (/^\/\/(?!\/)/.test(path)) return `A database URL with sqlite:// is ambiguous. ${FORMS}`;
  return undefined;
}

/** The name of a database in messages for operators: the full path of a file, or a URL without user and password. */
export function nameOf(databaseUrl: string): string {
  if (isPostgresUrl(databaseUrl)) return withoutCredentials(databaseUrl);
  return `sqlite:${resolve(databaseUrl.slice('sqlite:'.length))}`;
}

/**
 * Opens the database that a URL names, with a store in it, and brings its tables up to date unless `option` is `never`.
 * @throws StorageSetupError
 */
export async function openStorageWith<Store extends StoreTypes>(
  definition: StoreDefinition<Store>,
  databaseUrl: string,
  option: MigrateOption = 'on-start',
  limits?: DatabaseLimits,
): Promise<Storage<Store>> {
  const problem = databaseUrlProblem(databaseUrl);
  if (problem !== undefined) throw new StorageSetupError(problem);
  if (!isPostgresUrl(databaseUrl)) return openSqlite(databaseUrl.slice('sqlite:'.length), definition, option);
  // Imported only when needed, so that a server on SQLite does not load the driver of PostgreSQL.
  const { openPostgres } = await import('./postgres/storage.ts');
  return openPostgres(databaseUrl, definition, option, limits);
}

export async function migrateWith<Store extends StoreTypes>(
  definition: StoreDefinition<Store>,
  databaseUrl: string,
  limits?: DatabaseLimits,
): Promise<string[]> {
  const problem = databaseUrlProblem(databaseUrl);
  if (problem !== undefined) throw new StorageSetupError(problem);
  if (!isPostgresUrl(databaseUrl)) {
    return migrateSqlite(databaseUrl.slice('sqlite:'.length), definition);
  }
  const { setUp } = await import('./postgres/set-up.ts');
  return setUp(databaseUrl, { name: definition.name, migrations: definition.postgres.migrations }, 'on-start', limits);
}
