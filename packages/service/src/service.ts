import type { Contract } from './common/contract.ts';
import type { Operations } from './contract/operation.ts';
import type { ServiceParts } from './contract/service-parts.ts';
import type { StoreTypes } from './storage/storage.ts';

/** The commands of every service. They are loaded only when they are run. */
const commands = {
  keys: async () => (await import('./cli/keys.ts')).runKeys,
  migrate: async () => (await import('./cli/migrate.ts')).runMigrate,
  move: async () => (await import('./cli/move.ts')).runMove,
  backup: async () => (await import('./cli/backup.ts')).runBackup,
  seed: async () => (await import('./cli/seed.ts')).runSeed,
};

/** Creates a service. Its `run` starts the server or, if there are arguments, the command that the first one names. */
export function createService<C extends Contract, Store extends StoreTypes>(
  parts: Omit<ServiceParts<Store>, 'contract' | 'operations'> & { contract: C; operations: Operations<C, Store> },
) {
  return {
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
