/** Copies an embedded database while servers use it: `npm run --silent backup -- --help`. */
import { BackupError, writeBackup } from './backup/write-backup.ts';
import { databaseUrlProblem, defaultDatabaseUrl, memoryDatabaseUrl } from './storage/open.ts';

const help = `Copies the embedded database as it is at this moment. The servers may be running.

Usage: npm run --silent backup -- FILE

FILE must not exist yet. DATABASE_URL says what is copied, the same as for the server; default ${defaultDatabaseUrl}.
To restore, stop the servers and put the copy in the place of the database; see docs/operate.md.
Responder status: 0 copied, 1 not, 2 wrong arguments.
`;

const [target, ...more] = process.argv.slice(2);
const { DATABASE_URL: url = defaultDatabaseUrl } = process.env;

if (target === '--help' || target === '-h') process.stdout.write(help);
else if (target === undefined || target.startsWith('-') || more.length > 0) refuse(2, `Name one file.\n\n${help}`);
else {
  try {
    const animals = writeBackup(pathOf(url), target);
    process.stdout.write(`${target}: ${animals.toLocaleString('en')} animals, and everything else.\n`);
  } catch (error) {
    refuse(1, `${error instanceof BackupError ? error.message : `No backup was made: ${error}`}\n`);
  }
}

function pathOf(databaseUrl: string): string {
  if (databaseUrl === memoryDatabaseUrl) throw new BackupError('A database in memory is gone with its server.');
  const problem = databaseUrlProblem(databaseUrl);
  if (problem !== undefined) throw new BackupError(problem);
  if (databaseUrl.startsWith('sqlite:')) return databaseUrl.slice('sqlite:'.length);
  throw new BackupError('DATABASE_URL names PostgreSQL: back it up with pg_dump, as docs/operate.md says.');
}

function refuse(status: number, reason: string): void {
  process.stderr.write(reason);
  process.exitCode = status;
}
