import { plans, scopes } from '@animal-store/contract';
import { keptDays } from '../quota/usage.ts';
import { defaultDatabaseUrl } from '../storage/open.ts';

const RUN = 'npm run --silent keys --';

/** An option of a command as `parseArgs` of node:util takes it, with the text for the help. */
type Option = { type: 'string' | 'boolean'; value?: string; help: string };

const json: Option = { type: 'boolean', help: 'Print JSON on stdout instead, and nothing on stderr.' };

const by: Option = {
  type: 'string',
  value: 'NAME',
  help: 'Who makes the change, for the audit log. Default: USER@HOST of this process.',
};

const scope: Option = {
  type: 'string',
  value: 'SCOPE',
  help: `${Object.keys(scopes).join(' or ')}; write includes read.`,
};

const limits = {
  'per-minute': {
    type: 'string',
    value: 'N',
    help: `Requests per minute; only for ${ownLimits()}, together with --per-day.`,
  },
  'per-day': {
    type: 'string',
    value: 'N',
    help: `Requests per UTC day; only for ${ownLimits()}, together with --per-minute.`,
  },
} satisfies Record<string, Option>;

const noticed = 'Servers that are running notice within 5 seconds.';

const activityAge = 'Times are in UTC. Last use and calls can be 10 seconds out of date.';

/** The commands, with their options and output. */
export const commands = {
  create: {
    usage: 'create --plan PLAN [options]',
    purpose: 'Make a key. It is shown now and never again: only its hash is stored.',
    prints: `The key alone on stdout; its ID, plan, scope and limits on stderr. It is a live key (as_live_…) or a test
key (as_test_…), as the servers of the database accept it. Before the first server has started, API_MODE decides:
live or test; default: live if NODE_ENV is production, otherwise test.`,
    options: {
      plan: { type: 'string', value: 'PLAN', help: `${planList()}.` },
      scope: { ...scope, help: `${scope.help} Default: write.` },
      name: { type: 'string', value: 'NAME', help: 'A name for people, 1 to 100 characters.' },
      ...limits,
      'expires-in': {
        type: 'string',
        value: 'TIME',
        help: 'End by itself, after 30d, 24h, 15m or 90s. Default: never.',
      },
      test: { type: 'boolean', help: 'Fail unless the key is a test key (as_test_…).' },
      by,
      json,
    },
  },
  list: {
    usage: 'list [--json]',
    purpose: 'Show all keys, the newest last.',
    prints: `A table on stdout: ID, plan, scope, limits, expiry, last use, number of calls of deprecated
operations, state, hints of its secrets, name. ${activityAge}`,
    options: { json },
  },
  show: {
    usage: 'show ID [--json]',
    purpose: 'Show everything that is known about one key.',
    prints: `A list on stdout: what list shows, the requests left in the minute and in the day, the ban, and
for each deprecated operation the number of calls and the time of the latest call.
${activityAge}
If the servers count in Redis, show cannot print the minute and the day: get them with the key from GET /v1/key.`,
    options: { json },
  },
  rotate: {
    usage: 'rotate ID [options]',
    purpose: 'Give a key a new secret. ID, plan, limits, quota used and bans stay.',
    prints: 'The new key alone on stdout; when the older one ends on stderr.',
    options: {
      overlap: {
        type: 'string',
        value: 'TIME',
        help: 'How long the older one still works: 24h, 15m, 0s. Default: 24h.',
      },
      by,
      json,
    },
  },
  set: {
    usage: 'set ID [options]',
    purpose: 'Change the plan, scope, name or limits of a key. ID, secrets, quota used and bans stay.',
    prints: `One line on stdout: the plan, scope and limits that hold now. ${noticed}
A plan with fixed limits ends the key's own ones.`,
    options: {
      plan: { type: 'string', value: 'PLAN', help: `${planList()}.` },
      scope,
      name: { type: 'string', value: 'NAME', help: 'A name for people, 1 to 100 characters.' },
      ...limits,
      by,
      json,
    },
  },
  unban: {
    usage: 'unban ID [options]',
    purpose: 'End the ban of a key. The next ban lasts as long as a first one.',
    prints: `One line on stdout, which says whether the key was banned. ${noticed}`,
    options: { by, json },
  },
  usage: {
    usage: 'usage ID [--days N] [--json]',
    purpose: 'Show how often a key was used on each UTC day.',
    prints: `A table on stdout: the days with calls, the latest last. Every request with the key counts, regardless of its
response. The latest 10 seconds may be missing. ${keptDays} days are kept.`,
    options: {
      days: { type: 'string', value: 'N', help: `The latest N days, today included, 1 to ${keptDays}. Default: 30.` },
      json,
    },
  },
  audit: {
    usage: 'audit [ID] [--json]',
    purpose: 'Show who changed the keys, or one key, when and how.',
    prints: `A table on stdout, the latest change last: time in UTC, who, key, action (create, rotate, set, unban, revoke)
and what was changed, as JSON. It contains no keys, and changes before this version are not in it.`,
    options: { json },
  },
  revoke: {
    usage: 'revoke ID [--by NAME]',
    purpose: `End a key for good. ${noticed}`,
    prints: 'One line on stdout.',
    options: { by },
  },
} satisfies Record<string, { usage: string; purpose: string; prints: string; options: Record<string, Option> }>;

export type CommandName = keyof typeof commands;

export function isCommandName(text: string): text is CommandName {
  return Object.hasOwn(commands, text);
}

/** The options of a command by name, without the two dashes. */
export function optionsOf(command: CommandName): Readonly<Record<string, Option>> {
  return commands[command].options;
}

function planList(): string {
  return Object.entries(plans)
    .map(([name, plan]) => ('custom' in plan ? `${name} (own limits)` : `${name} (${plan.perMinute}/min)`))
    .join(', ');
}

/** The plans whose keys have their own limits. */
function ownLimits(): string {
  return Object.entries(plans)
    .filter(([, plan]) => 'custom' in plan)
    .map(([name]) => name)
    .join(', ');
}

/** The help of one command, or an overview of all. */
export function helpText(topic?: CommandName): string {
  return topic === undefined ? overview() : commandHelp(topic);
}

function overview(): string {
  const width = Math.max(...Object.values(commands).map(({ usage }) => usage.length));
  const list = Object.values(commands).map(({ usage, purpose }) => `  ${usage.padEnd(width)}  ${purpose}`);
  return `Makes, shows and ends the API keys of the Animal Store.

Usage: ${RUN} COMMAND

${list.join('\n')}

Help on a command:  ${RUN} create --help
A key in a variable: KEY=$(${RUN} create --plan free)

DATABASE_URL says where the keys are, the same as for the server; default ${defaultDatabaseUrl},
relative to this folder. The server may be running.
Exit status: 0 done, 1 the database cannot be used, 2 wrong arguments.
`;
}

function commandHelp(name: CommandName): string {
  const { usage, purpose, prints } = commands[name];
  const options = Object.entries(optionsOf(name)).map(([option, { value, help }]) => ({
    flag: value === undefined ? `--${option}` : `--${option} ${value}`,
    help,
  }));
  const width = Math.max(0, ...options.map(({ flag }) => flag.length));
  const indent = ' '.repeat(width + 4);
  const lines = options.map(({ flag, help }) => `  ${flag.padEnd(width)}  ${wrapped(help, indent)}\n`);
  const section = lines.length === 0 ? '' : `\n${lines.join('')}`;
  return `${purpose}

Usage: ${RUN} ${usage}
Prints: ${prints}
${section}`;
}

/** Wraps a text so that no line is longer than 120 characters. */
function wrapped(text: string, indent: string): string {
  const room = new RegExp(`(.{1,${120 - indent.length}})(?: +|$)`, 'g');
  return text.replace(room, `$1\n${indent}`).trimEnd();
}
