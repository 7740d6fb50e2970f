import { type Contract, firstPlan, hasPlans } from '../common/contract.ts';
import { allScopes } from '../keys/new-key.ts';
import { defaultDatabaseUrl } from '../storage/open.ts';
import { keptDays } from '../storage/storage.ts';

/** How operators run the command. */
export const RUN = 'npm run --silent keys --';

/** A command that creates a key. */
export function createExample({ plans }: Pick<Contract, 'plans'>): string {
  const plan = firstPlan(plans);
  return `${RUN} create${plan === undefined ? '' : ` --plan ${plan}`}`;
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
type CommandHelp = { usage: Text; purpose: Text; prints: Text; options: Record<string, Option> };

const textOf = (text: Text, contract: Contract) => (typeof text === 'string' ? text : text(contract));

/** The commands, with their options and output. */
export const commands = {
  create: {
    usage: (contract) => (hasPlans(contract) ? 'create --plan PLAN [options]' : 'create [options]'),
    purpose: 'Create keys. They are shown only once, because only their hashes are stored.',
    prints: (
      contract,
    ) => `The key on stdout; its ID, ${hasPlans(contract) ? 'plan, scope and limits' : 'and its scope'} on stderr. With --count or --names: one line for each key
on stdout, with its ID, the key and its name, separated by tabs; with --json, one JSON object per line.
The servers of the database decide whether it is a live key (${contract.keyPrefix}_live_…) or a test key (${contract.keyPrefix}_test_…). If no server has
started yet, API_MODE (live or test) decides. Default: live if NODE_ENV is production, otherwise test.
Several keys are created in one transaction: all or none.`,
    options: {
      plan: { value: 'PLAN', help: planList },
      scope: {
        ...scope,
        help: (contract) => `${scopesHelp(contract)} Default: ${allScopes(contract).replaceAll(' ', ',')}.`,
      },
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
    prints: (
      contract,
    ) => `A table on stdout: ID, ${hasPlans(contract) ? 'plan, scope, limits' : 'scope'}, expiry, last use, calls of deprecated operations, state,
hints of the secrets, name.
${activityAge}`,
    options: { json },
  },
  show: {
    usage: 'show ID [--json]',
    purpose: 'Show all details of a key.',
    prints: (contract) =>
      hasPlans(contract)
        ? `A list on stdout: everything that list prints, the requests left in this minute and day, the ban, and the
number of calls and the latest call of each deprecated operation.
${activityAge}
If the servers count in Redis, the requests left are not shown. The X-RateLimit headers of each response state them.`
        : `A list on stdout: everything that list prints, and the number of calls and the latest call of each deprecated
operation.
${activityAge}`,
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
    purpose: (contract) =>
      `Change the ${hasPlans(contract) ? 'plan, scope, name or limits' : 'scope or name'} of a key. Everything else stays the same.`,
    prints: (contract) =>
      hasPlans(contract)
        ? `The new plan, scope and limits on stdout. ${noticed}
A plan with fixed limits replaces limits of the key's own.`
        : `The new scope on stdout. ${noticed}`,
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

/** The commands for keys of an API: without bans, there is no `unban`. */
export function commandNames({ banRules }: Pick<Contract, 'banRules'>): CommandName[] {
  return Object.keys(commands)
    .filter(isCommand)
    .filter((name) => name !== 'unban' || banRules !== null);
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

/** The options of a command by name, without the two dashes. */
export function optionsOf(command: CommandName, contract: Contract): Readonly<Record<string, Option>> {
  const options = Object.entries<Option>(commands[command].options);
  const isOffered = (name: string) =>
    name in limits ? ownLimits(contract) !== '' : name !== 'plan' || hasPlans(contract);
  return Object.fromEntries(options.filter(([name]) => isOffered(name)));
}

function planList({ plans }: Contract): string {
  const list = Object.entries(plans).map(([name, plan]) =>
    'custom' in plan ? `${name} (own limits)` : `${name} (${plan.perMinute}/min)`,
  );
  return `${list.join(', ')}.`;
}

function scopesHelp(contract: Contract): string {
  const { scopes } = contract;
  return `${scopeChoice(contract)}${'read' in scopes && 'write' in scopes ? '; write includes read' : ''}.`;
}

/** What `--scope` accepts. */
export function scopeChoice({ scopes }: Pick<Contract, 'scopes'>): string {
  const names = Object.keys(scopes);
  if (names.length === 0) return 'omitted, because the contract has no scopes';
  // A key with write has read as well, so it never needs both.
  const isOne = names.every((name) => name === 'read' || name === 'write');
  return isOne ? names.join(' or ') : `one or several of ${names.join(', ')}, with commas between them`;
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
  const shown = commandNames(contract).map((name) => commands[name]);
  const rows = shown.map(({ usage, purpose }) => [textOf(usage, contract), textOf(purpose, contract)] as const);
  const width = Math.max(...rows.map(([usage]) => usage.length));
  const list = rows.map(([usage, purpose]) => `  ${usage.padEnd(width)}  ${purpose}`);
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
  const options = Object.entries(optionsOf(name, contract)).map(([option, { value, help }]) => ({
    flag: value === undefined ? `--${option}` : `--${option} ${value}`,
    help: textOf(help, contract),
  }));
  const width = Math.max(0, ...options.map(({ flag }) => flag.length));
  const indent = ' '.repeat(width + 4);
  const lines = options.map(({ flag, help }) => `  ${flag.padEnd(width)}  ${wrapped(help, indent)}\n`);
  const section = lines.length === 0 ? '' : `\n${lines.join('')}`;
  return `${textOf(purpose, contract)}

Usage: ${RUN} ${textOf(usage, contract)}
Prints: ${textOf(prints, contract)}
${section}`;
}

/** Wraps a text so that no line is longer than 120 characters. */
function wrapped(text: string, indent: string): string {
  const room = new RegExp(`(.{1,${120 - indent.length}})(?: +|$)`, 'g');
  return text.replace(room, `$1\n${indent}`).trimEnd();
}
