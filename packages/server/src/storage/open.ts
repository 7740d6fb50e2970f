import { isPostgresUrl, postgresUrlProblem } from './postgres/connection/settings.ts';
import { openSqlite } from './sqlite/storage.ts';
import { type Storage, StorageSetupError } from './storage.ts';

/** Where the data is kept unless DATABASE_URL says otherwise; relative to the working directory. */
export const defaultDatabaseUrl = 'sqlite:data/animal-store.db';

/** The data live in this process only, and end with it. */
export const memoryDatabaseUrl = 'sqlite::memory:';

const FORMS = `Use sqlite:PATH (such as ${defaultDatabaseUrl}), ${memoryDatabaseUrl} or postgres://USER:PASSWORD@HOST:5432/DATABASE.`;

/** What is wrong with a database URL, as one sentence that says what to use; undefined when it can be opened. */
export function databaseUrlProblem(url: string): string | undefined {
  if (url === memoryDatabaseUrl) return undefined;
  if (isPostgresUrl(url)) {
    const problem = postgresUrlProblem(url);
    return problem && `${problem} ${FORMS}`;
  }
  // The URL itself is not repeated: it may hold a password.
  if (!url.startsWith('sqlite:')) return `The database URL names no engine that this server has. ${FORMS}`;
  const path = url.slice('sqlite:'.length);
  if (path === '') return `The database URL has no path. ${FORMS}`;
  if (path.includes('\0')) return `The path in the database URL has a NUL character. ${FORMS}`;
  if (path.startsWith(':')) return `${url} is not a database that SQLite has. ${FORMS}`;
  // Elsewhere sqlite://a/b is relative, here it would be an absolute path: better none than the wrong file.
  if (/^\/\/(?!\/)/.test(path)) return `A database URL with sqlite:// is ambiguous. ${FORMS}`;
  return undefined;
}

/**
 * Opens the storage that a database URL names, and brings its tables up to date.
 * @throws StorageSetupError when the URL is wrong, or the database cannot be opened or is newer than this program
 */
export async function openStorage(databaseUrl: string): Promise<Storage> {
  const problem = databaseUrlProblem(databaseUrl);
  if (problem !== undefined) throw new StorageSetupError(problem);
  // Not before it is needed: who has the data in a file does not pay for a driver at each start.
  if (isPostgresUrl(databaseUrl)) return (await import('./postgres/storage.ts')).openPostgres(databaseUrl);
  return openSqlite(databaseUrl.slice('sqlite:'.length));
}
