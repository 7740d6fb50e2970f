import type { Contract } from './common/facts.ts';
import type { Operations } from './openapi/operation.ts';
import type { VerifyPart } from './openapi/security.ts';
import type { ServiceParts } from './openapi/service-parts.ts';
import type { StartedServer } from './run-server.ts';
import type { StoreTypes } from './storage/storage.ts';

/** The commands of every service. They are loaded only when they are run. */
const commands = {
  keys: async () => (await import('./cli/keys.ts')).runKeys,
  migrate: async () => (await import('./cli/migrate.ts')).runMigrate,
  move: async () => (await import('./cli/move.ts')).runMove,
  jobs: async () => (await import('./cli/jobs.ts')).runJobs,
  backup: async () => (await import('./cli/backup.ts')).runBackup,
};

/**
 * Creates a service. Its `run` is a whole program: it starts the server or, if there are arguments, the command that the first one names,
 * and ends the process. Its `start` starts the server as a part of another program, with settings in place of the environment.
 */
export function createService<C extends Contract, Store extends StoreTypes>(
  parts: Omit<ServiceParts<Store>, 'contract' | 'operations' | 'verify'> & {
    contract: C;
    operations: Partial<Operations<C, Store>>;
  } & VerifyPart<C>,
) {
  return {
    async start(settings: Readonly<Record<string, string | undefined>> = process.env): Promise<StartedServer> {
      return (await import('./run-server.ts')).startService(parts, settings);
    },
    async run([name, ...args] = process.argv.slice(2)): Promise<void> {
      if (name === undefined) return (await import('./run-server.ts')).runServer(parts);
      const own = parts.commands ?? {};
      if (Object.hasOwn(own, name)) return own[name]?.(args);
      if (isCommand(name)) return (await commands[name]())(parts, args);
      const names = [...Object.keys(commands), ...Object.keys(own)].join(', ');
      process.stderr.write(
        `There is no command ${name}. The commands are: ${names}. Without a command, the server starts.\n`,
      );
      process.exitCode = 2;
    },
  };
}

function isCommand(name: string): name is keyof typeof commands {
  return Object.hasOwn(commands, name);
}
