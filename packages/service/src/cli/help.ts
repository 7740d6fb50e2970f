import type { Contract } from '../common/contract.ts';
import { firstPlan } from '../keys/new-key.ts';
import { defaultDatabaseUrl } from '../storage/open.ts';
import { keptDays } from '../storage/storage.ts';

/** How operators run the command. */
export const RUN = 'npm run --silent keys --';

/** A command that creates a key. */
export function createExample({ plans }: Pick<Contract, 'plans'>): string {
  return `${RUN} create --plan ${firstPlan(plans)}`;
}

/** An option of a command. Without the name of a value it is a flag. */
type Option = { value?: string; help: Text };

const json: Option = { help: 'Print JSON on stdout, and only the name of the database on stderr.' };

const by: Option = {
  value: 'NAME',
  help: 'Who made the change, for the audit log. Default: USER@HOST of this process.',
};

const scope: Option = { value: 'SCOPE', help: scopesHelp };

const limits = {
  'per-minute': {
    value: 'N',
    help: (contract) => `Requests per minute. Only for ${ownLimits(contract)}; requires --per-day.`,
  },
  'per-day': {
    value: 'N',
    help: (contract) => `Requests per UTC day. Only for ${ownLimits(contract)}; requires --per-minute.`,
  },
} satisfies Record<string, Option>;

const noticed = 'Running servers apply the change within 5 seconds.';

const activityAge = 'Times are in UTC. Last use and calls may be up to 10 seconds old.';

type Text = string | ((contract: Contract) => string);
type CommandHelp = { usage: string; purpose: string; prints: Text; options: Record<string, Option> };

/** The commands, with their options and output. */
export const commands = {
  create: {
    usage: 'create --plan PLAN [options]',
    purpose: 'Create keys. They are shown only once, because only their hashes are stored.',
    prints: ({
      keyPrefix,
    }) => `The key on stdout; its ID, plan, scope and limits on stderr. With --count or --names: one line for each key
on stdout, with its ID, the key and its name, separated by tabs; with --json, one JSON object per line.
The servers of the database decide whether it is a live key (${keyPrefix}_live_…) or a test key (${keyPrefix}_test_…). If no server has
started yet, API_MODE (live or test) decides. Default: live if NODE_ENV is production, otherwise test.
Several keys are created in one transaction: all or none.`,
    options: {
      plan: { value: 'PLAN', help: planList },
      scope: { ...scope, help: (contract) => `${scopesHelp(contract)} Default: write.` },
      name: { value: 'NAME', help: 'A label of 1 to 100 characters.' },
      count: { value: 'N', help: 'Create N keys, at most 10000.' },
      names: { value: 'FILE', help: 'Create a key for each name in a text file with one name per line.' },
      ...limits,
      'expires-in': { value: 'TIME', help: 'Lifetime of the key, such as 30d, 24h, 15m or 90s. Default: unlimited.' },
      test: { help: ({ keyPrefix }) => `Fail unless the key is a test key (${keyPrefix}_test_…).` },
      by,
      json,
    },
  },
  list: {
    usage: 'list [--json]',
    purpose: 'List all keys, newest last.',
    prints: `A table on stdout: ID, plan, scope, limits, expiry, last use, calls of deprecated operations, state,
hints of the secrets, name.
${activityAge}`,
    options: { json },
  },
  show: {
    usage: 'show ID [--json]',
    purpose: 'Show all details of a key.',
    prints: `A list on stdout: everything that list prints, the requests left in this minute and day, the ban, and the
number of calls and the latest call of each deprecated operation.
${activityAge}
If the servers count in Redis, the requests left are not shown. The X-RateLimit headers of each response state them.`,
    options: { json },
  },
  rotate: {
    usage: 'rotate ID [options]',
    purpose: 'Replace the secret of a key. Everything else stays the same.',
    prints: 'The new key on stdout; the time at which the old key expires on stderr.',
    options: {
      overlap: { value: 'TIME', help: 'How long the old key keeps working, such as 24h, 15m or 0s. Default: 24h.' },
      by,
      json,
    },
  },
  set: {
    usage: 'set ID [options]',
    purpose: 'Change the plan, scope, name or limits of a key. Everything else stays the same.',
    prints: `The new plan, scope and limits on stdout. ${noticed}
A plan with fixed limits replaces limits of the key's own.`,
    options: {
      plan: { value: 'PLAN', help: planList },
      scope,
      name: { value: 'NAME', help: 'A label of 1 to 100 characters.' },
      ...limits,
      by,
      json,
    },
  },
  unban: {
    usage: 'unban ID [options]',
    purpose: 'Lift the ban of a key. The next ban is as short as the first.',
    prints: `Whether the key was banned, on stdout. ${noticed}`,
    options: { by, json },
  },
  usage: {
    usage: 'usage ID [--days N] [--json]',
    purpose: 'Show the requests of a key by UTC day.',
    prints: `A table on stdout: the days with requests, latest last. Every request counts, whatever its response.
The last 10 seconds may be missing. Records are kept for ${keptDays} days.`,
    options: {
      days: { value: 'N', help: `The last N days including today, from 1 to ${keptDays}. Default: 30.` },
      json,
    },
  },
  audit: {
    usage: 'audit [ID] [--json]',
    purpose: 'Show all changes to keys, or to one key.',
    prints: `A table on stdout, latest change last: time in UTC, who made the change, key ID, action (create, rotate, set,
unban, revoke), and details as JSON. It contains no secrets, and no changes from before version 1.1.`,
    options: { json },
  },
  revoke: {
    usage: 'revoke ID [--by NAME]',
    purpose: `Revoke a key permanently. ${noticed}`,
    prints: 'One line on stdout.',
    options: { by },
  },
} satisfies Record<string, CommandHelp>;

export type CommandName = keyof typeof commands;

/** The options of a command by name, without the two dashes. */
export function optionsOf(command: CommandName): Readonly<Record<string, Option>> {
  return commands[command].options;
}

function planList({ plans }: Contract): string {
  const list = Object.entries(plans).map(([name, plan]) =>
    'custom' in plan ? `${name} (own limits)` : `${name} (${plan.perMinute}/min)`,
  );
  return `${list.join(', ')}.`;
}

function scopesHelp({ scopes }: Contract): string {
  return `${Object.keys(scopes).join(' or ')}; write includes read.`;
}

/** The plans whose keys have their own limits. */
function ownLimits({ plans }: Contract): string {
  return Object.entries(plans)
    .filter(([, plan]) => 'custom' in plan)
    .map(([name]) => name)
    .join(', ');
}

/** The help of all commands. */
export function overview(contract: Contract, service: string): string {
  const width = Math.max(...Object.values(commands).map(({ usage }) => usage.length));
  const list = Object.values(commands).map(({ usage, purpose }) => `  ${usage.padEnd(width)}  ${purpose}`);
  return `Manages the API keys of the ${contract.contractTitle}.

Usage: ${RUN} COMMAND

${list.join('\n')}

Help for a command:        ${RUN} create --help
Store a key in a variable: KEY=$(${createExample(contract)})

Set DATABASE_URL to the database of the server. Default: ${defaultDatabaseUrl(service)}, relative to this
folder. The server may be running. Each command prints on stderr which database it opened. None creates one.
Exit status: 0 success, 1 database unavailable, 2 invalid arguments.
`;
}

/** The help of one command. */
export function commandHelp(contract: Contract, name: CommandName): string {
  const { usage, purpose, prints } = commands[name];
  const printed = typeof prints === 'string' ? prints : prints(contract);
  const options = Object.entries(optionsOf(name)).map(([option, { value, help }]) => ({
    flag: value === undefined ? `--${option}` : `--${option} ${value}`,
    help: typeof help === 'string' ? help : help(contract),
  }));
  const width = Math.max(0, ...options.map(({ flag }) => flag.length));
  const indent = ' '.repeat(width + 4);
  const lines = options.map(({ flag, help }) => `  ${flag.padEnd(width)}  ${wrapped(help, indent)}\n`);
  const section = lines.length === 0 ? '' : `\n${lines.join('')}`;
  return `${purpose}

Usage: ${RUN} ${usage}
Prints: ${printed}
${section}`;
}

/** Wraps a text so that no line is longer than 120 characters. */
function wrapped(text: string, indent: string): string {
  const room = new RegExp(`(.{1,${120 - indent.length}})(?: +|$)`, 'g');
  return text.replace(room, `$1\n${indent}`).trimEnd();
}
