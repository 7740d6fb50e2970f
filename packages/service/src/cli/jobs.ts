import { pino } from 'pino';
import { systemClock } from '../common/time.ts';
import type { ServiceParts } from '../openapi/service-parts.ts';
import { runJob } from '../process/jobs.ts';
import { defaultDatabaseUrl, openStorageWith } from '../storage/open.ts';
import type { StoreTypes } from '../storage/storage.ts';
import { readStoredDatabase, runCommand, UsageError } from './command.ts';

const help = (service: string, names: string) => `Runs a job now. The servers may be running.

Usage: npm run --silent jobs -- run NAME

The jobs are: ${names}.
Set DATABASE_URL to the database of the servers. Default: ${defaultDatabaseUrl(service)}.
Exit status: 0 success, 1 failed or already running, 2 invalid arguments or settings.
`;

type Parts<Store extends StoreTypes> = Pick<ServiceParts<Store>, 'store' | 'jobs'>;

/** Runs a job at once: `npm run --silent jobs -- --help`. */
export function runJobs<Store extends StoreTypes>({ store, jobs = {} }: Parts<Store>, args: string[]): Promise<void> {
  const names = Object.keys(jobs).join(', ') || 'none';
  return runCommand(args, help(store.name, names), async () => {
    const [command, name = '', ...more] = args;
    const job = Object.hasOwn(jobs, name) ? jobs[name] : undefined;
    if (command !== 'run' || job === undefined || more.length > 0)
      throw new UsageError(`Pass run and a job: ${names}.`);
    const { databaseUrl, databaseLimits } = readStoredDatabase(store.name);
    const storage = await openStorageWith(store, databaseUrl, 'existing', databaseLimits);
    try {
      const parts = { storage, clock: systemClock, log: pino({}, process.stderr) };
      const result = await runJob(name, job, parts, true);
      if (result === undefined) throw new Error(`${name} is running on a server. Try again after its end.`);
      if (result === 'failed') throw new Error(`${name} failed.`);
      return `${name}: done\n`;
    } finally {
      await storage.close();
    }
  });
}
