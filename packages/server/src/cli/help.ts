import { defaultDatabaseUrl } from '../storage/open.ts';
import { type CommandName, commands, optionsOf } from './options.ts';

const RUN = 'npm run --silent keys --';

/** The help of one command, or of all. */
export function helpText(topic?: CommandName): string {
  return topic === undefined ? overview() : commandHelp(topic);
}

function overview(): string {
  const width = Math.max(...Object.values(commands).map(({ usage }) => usage.length));
  const list = Object.values(commands).map(({ usage, purpose }) => `  ${usage.padEnd(width)}  ${purpose}`);
  return `Makes and ends the API keys of the Animal Store.

Usage: ${RUN} COMMAND

${list.join('\n')}

Help on a command:  ${RUN} create --help
A key in a variable: KEY=$(${RUN} create --plan free)

DATABASE_URL says where the keys are, the same as for the server; default ${defaultDatabaseUrl},
relative to this folder. The server may be running.
Responder status: 0 done, 1 the database cannot be used, 2 wrong arguments.
`;
}

function commandHelp(name: CommandName): string {
  const { usage, purpose, prints } = commands[name];
  const options = Object.entries(optionsOf(name)).map(([option, { value, help }]) => ({
    flag: value === undefined ? `--${option}` : `--${option} ${value}`,
    help,
  }));
  const width = Math.max(0, ...options.map(({ flag }) => flag.length));
  const lines = options.map(({ flag, help }) => `  ${flag.padEnd(width)}  ${help}\n`);
  const section = lines.length === 0 ? '' : `\n${lines.join('')}`;
  return `${purpose}

Usage: ${RUN} ${usage}
Prints: ${prints}
${section}`;
}
