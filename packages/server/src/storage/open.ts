import { isPostgresUrl, postgresUrlProblem } from './postgres/settings.ts';
import { openSqlite } from './sqlite/storage.ts';
import { type Storage, StorageSetupError, type StoreTypes } from './storage.ts';
import type { StoreDefinition } from './store-definition.ts';

/** The database unless DATABASE_URL names another; relative to the working directory. */
export const defaultDatabaseUrl = 'sqlite:data/animal-store.db';

/** A database in the memory of this process, which ends with it. */
export const memoryDatabaseUrl = 'sqlite::memory:';

const FORMS = `Use sqlite:PATH (such as ${defaultDatabaseUrl}), ${memoryDatabaseUrl} or postgres://USER:PASSWORD@HOST:5432/DATABASE.`;

/** What is wrong with a database URL, as one sentence that says what to use; undefined when it can be opened. */
export function databaseUrlProblem(url: string): string | undefined {
  if (url === memoryDatabaseUrl) return undefined;
  if (isPostgresUrl(url)) {
    const problem = postgresUrlProblem(url);
    return problem && `${problem} ${FORMS}`;
  }
  // The URL itself is not repeated, because it may hold a password.
  if (!url.startsWith('sqlite:')) return `The database URL names no engine that this server has. ${FORMS}`;
  const path = url.slice('sqlite:'.length);
  if (path === '') return `The database URL has no path. ${FORMS}`;
  if (path.includes('\0')) return `The path in the database URL has a NUL character. ${FORMS}`;
  if (path.startsWith(':')) return `${url} is not a database that SQLite has. ${FORMS}`;
  // In other programs sqlite://a/b is relative, here it would be absolute: better refused than the wrong file.
  if (/^\/\/(?!\/)/.test(path)) return `A database URL with sqlite:// is ambiguous. ${FORMS}`;
  return undefined;
}

/**
 * Opens the database that a URL names, with a store in it, and brings its tables up to date.
 * @throws StorageSetupError when the URL is wrong, or the database cannot be opened or is newer than this program
 */
export async function openStorageWith<Store extends StoreTypes>(
  definition: StoreDefinition<Store>,
  databaseUrl: string,
): Promise<Storage<Store>> {
  const problem = databaseUrlProblem(databaseUrl);
  if (problem !== undefined) throw new StorageSetupError(problem);
  if (!isPostgresUrl(databaseUrl)) return openSqlite(databaseUrl.slice('sqlite:'.length), definition.sqlite);
  // Loaded only here, so that a start with SQLite does not load the driver of PostgreSQL.
  const { openPostgres } = await import('./postgres/storage.ts');
  return openPostgres(databaseUrl, definition.postgres);
}
