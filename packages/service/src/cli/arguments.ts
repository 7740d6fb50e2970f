import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isNativeError } from 'node:util/types';
import type { Contract } from '../common/contract.ts';
import { type KeyChange, type NewKey, unprintable } from '../keys/new-key.ts';
import { keptDays } from '../storage/storage.ts';
import { type CommandName, commands, optionsOf } from './help.ts';

/** A parsed command. Durations are in milliseconds. */
export type Command =
  | { name: 'help'; topic?: CommandName | undefined }
  | { name: 'create'; newKey: NewKey; many: Many | undefined; isTest: boolean; by: string | undefined; json: boolean }
  | { name: 'list'; json: boolean }
  | { name: 'show'; id: string; json: boolean }
  | { name: 'rotate'; id: string; overlap: number; by: string | undefined; json: boolean }
  | { name: 'set'; id: string; change: KeyChange; by: string | undefined; json: boolean }
  | { name: 'unban'; id: string; by: string | undefined; json: boolean }
  | { name: 'usage'; id: string; days: number; json: boolean }
  | { name: 'audit'; id: string | undefined; json: boolean }
  | { name: 'revoke'; id: string; by: string | undefined };

/** Several keys: a number of them, or one for each name in a file. */
export type Many = { count: number } | { namesFile: string };

type Values = ReadonlyMap<string, string | true>;

const HELP = 'npm run --silent keys -- --help';
const COMMANDS = Object.keys(commands)
  .join(', ')
  .replace(/, (?=\w+$)/, ' or ');

/**
 * Parses the command-line arguments.
 * @throws UsageError that names the first mistake
 */
export function parseCommand(args: string[], contract: Contract): Command {
  const [name, ...rest] = args;
  if (name === undefined) throw new UsageError(`A command is missing. Use ${COMMANDS}. See: ${HELP}`);
  if (['--help', '-h', 'help'].includes(name)) return { name: 'help' };
  if (!isCommand(name)) {
    throw new UsageError(`Unknown command ${quote(name)}. Use ${COMMANDS}. See: ${HELP}`);
  }
  if (rest.includes('--help') || rest.includes('-h')) return { name: 'help', topic: name };
  const { values, positionals } = readArguments(name, rest);
  const json = values.has('json');
  const by = readText(values, 'by');
  if (name === 'rotate')
    return { name, id: readId(name, positionals, contract), overlap: readOverlap(values), by, json };
  if (name === 'show') return { name, id: readId(name, positionals, contract), json };
  if (name === 'set')
    return { name, id: readId(name, positionals, contract), change: readChange(values, contract), by, json };
  if (name === 'unban') return { name, id: readId(name, positionals, contract), by, json };
  if (name === 'usage') return { name, id: readId(name, positionals, contract), days: readDays(values), json };
  if (name === 'audit')
    return { name, id: positionals.length === 0 ? undefined : readId(name, positionals, contract), json };
  if (name === 'revoke') return { name, id: readId(name, positionals, contract), by };
  refuseExtra(positionals);
  if (name === 'list') return { name, json };
  return { name, newKey: readNewKey(values, contract), many: readMany(values), isTest: values.has('test'), by, json };
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

/** Reads options and positional arguments from the tokens of parseArgs, because its own error messages are long. */
function readArguments(command: CommandName, args: string[]): { values: Values; positionals: string[] } {
  const options = optionsOf(command);
  const values = new Map<string, string | true>();
  const positionals: string[] = [];
  for (const token of parseArgs({ args, options, strict: false, tokens: true }).tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const type = Object.hasOwn(options, name) ? options[name]?.type : undefined;
    if (type === undefined) {
      const known = Object.keys(options).map((option) => `--${option}`);
      throw new UsageError(`${command} has no option ${quote(rawName)}. Its options are ${known.join(', ')}.`);
    }
    if (values.has(name)) throw new UsageError(`${rawName} appears twice.`);
    if (type === 'boolean' && value !== undefined) throw new UsageError(`${rawName} does not take a value.`);
    if (type === 'string' && (value === undefined || value === '' || (!inlineValue && value.startsWith('-')))) {
      throw new UsageError(`${rawName} needs a value. If the value begins with -, write ${rawName}=VALUE.`);
    }
    values.set(name, value ?? true);
  }
  return { values, positionals };
}

function readNewKey(values: Values, contract: Contract): NewKey {
  const expiresIn = readText(values, 'expires-in');
  return {
    plan: readPlan(readText(values, 'plan'), contract),
    scope: readScope(readText(values, 'scope'), contract),
    name: readText(values, 'name'),
    perMinute: readCount(values, 'per-minute'),
    perDay: readCount(values, 'per-day'),
    expiresIn: expiresIn === undefined ? undefined : parseDuration('--expires-in', expiresIn),
  };
}

/** So that one transaction stays short. */
const MAX_KEYS = 10_000;

function readMany(values: Values): Many | undefined {
  const [count, namesFile] = [readText(values, 'count'), readText(values, 'names')];
  if (namesFile !== undefined) {
    if (count !== undefined) throw new UsageError('Omit --count: --names creates one key for each name.');
    if (values.has('name')) throw new UsageError('Omit --name: --names has the names of the keys.');
    return { namesFile };
  }
  if (count === undefined) return undefined;
  const number = /^[0-9]{1,5}$/.test(count) ? Number(count) : 0;
  if (number >= 1 && number <= MAX_KEYS) return { count: number };
  throw UsageError.ofValue('--count', `a whole number from 1 to ${MAX_KEYS}`, count);
}

/**
 * The names in a file, one per line.
 * @throws UsageError if the file cannot be read, or contains no names or too many
 */
export function readNames(file: string): string[] {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    const cause = isNativeError(error) && 'code' in error ? String(error.code) : 'unknown';
    const problem = cause === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not UTF-8' : `cannot be read (${cause})`;
    throw new UsageError(`The file ${quote(file)} in --names ${problem}. Use a text file with one name per line.`);
  }
  const names = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (names.length >= 1 && names.length <= MAX_KEYS) return names;
  throw new UsageError(
    `The file ${quote(file)} in --names has ${names.length} names. Use a text file with 1 to ${MAX_KEYS} names, one per line.`,
  );
}

function readChange(values: Values, contract: Contract): KeyChange {
  const plan = readText(values, 'plan');
  const change = {
    ...(plan === undefined ? {} : { plan: readPlan(plan, contract) }),
    scope: readScope(readText(values, 'scope'), contract),
    name: readText(values, 'name'),
    perMinute: readCount(values, 'per-minute'),
    perDay: readCount(values, 'per-day'),
  };
  if (Object.values(change).some((value) => value !== undefined)) return change;
  throw new UsageError('set needs at least one of --plan, --scope, --name, --per-minute and --per-day.');
}

function readDays(values: Values): number {
  const text = readText(values, 'days') ?? '30';
  const days = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= keptDays) return days;
  throw UsageError.ofValue('--days', `a whole number from 1 to ${keptDays}`, text);
}

function readPlan(text: string | undefined, { plans }: Contract): string {
  const known = Object.keys(plans).join(', ');
  if (text === undefined) throw new UsageError(`create needs --plan with one of ${known}.`);
  if (!Object.hasOwn(plans, text)) throw UsageError.ofValue('--plan', `one of ${known}`, text);
  return text;
}

function readScope(text: string | undefined, { scopes }: Contract): string | undefined {
  if (text === undefined || Object.hasOwn(scopes, text)) return text;
  throw UsageError.ofValue('--scope', Object.keys(scopes).join(' or '), text);
}

function readCount(values: Values, name: string): number | undefined {
  const text = readText(values, name);
  if (text === undefined) return undefined;
  if (/^[0-9]{1,16}$/.test(text)) return Number(text);
  throw UsageError.ofValue(`--${name}`, `a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`, text);
}

function readOverlap(values: Values): number {
  return parseDuration('--overlap', readText(values, 'overlap') ?? '24h');
}

function readText(values: Values, name: string): string | undefined {
  const value = values.get(name);
  return value === true ? undefined : value;
}

function readId(command: CommandName, [id, ...extra]: string[], { keyPrefix }: Contract): string {
  const list = 'npm run --silent keys -- list';
  if (id === undefined) throw new UsageError(`${command} needs a key ID. To list the keys, run: ${list}`);
  refuseExtra(extra);
  // The message does not repeat the key, because the output may end up in a log or on a shared screen.
  if (id.startsWith(`${keyPrefix}_live_`) || id.startsWith(`${keyPrefix}_test_`))
    throw new UsageError(`${command} needs the ID of the key, not the key itself. To list the keys, run: ${list}`);
  if (!/^key_[0-9a-v]{16}$/.test(id)) {
    throw new UsageError(
      `${quote(id)} is not a key ID. Key IDs are key_ and 16 characters. To list the keys, run: ${list}`,
    );
  }
  return id;
}

function refuseExtra([extra]: string[]): void {
  if (extra === undefined) return;
  throw new UsageError(
    `Unexpected argument ${quote(extra)}. With npm, put -- before the arguments: npm run --silent keys -- create --plan free`,
  );
}

const UNITS = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/**
 * Converts a duration such as `30d`, `24h`, `15m` or `90s` to milliseconds.
 * @throws UsageError that names the option
 */
export function parseDuration(option: string, text: string): number {
  const [, amount, unit = ''] = /^([0-9]{1,10})([smhd])$/.exec(text) ?? [];
  const milliseconds = Number(amount) * (UNITS.get(unit) ?? Number.NaN);
  if (!Number.isNaN(milliseconds)) return milliseconds;
  throw UsageError.ofValue(option, 'a duration such as 30d, 24h, 15m or 90s', text);
}

const SHOWN = 60;

/** The arguments are not valid. The message is one line that says what to do instead. */
export class UsageError extends Error {
  override name = 'UsageError';

  static ofValue(option: string, wanted: string, text: string): UsageError {
    return new UsageError(`${option} must be ${wanted}, not ${quote(text)}.`);
  }
}

/** Formats a text for a terminal: in quotes, shortened, and without control characters. */
export function quote(text: string): string {
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  return `"${printable(shown)}"`;
}

/** Replaces unprintable characters with escapes. */
export function printable(text: string): string {
  const all = new RegExp(unprintable, 'gu');
  return text.replaceAll(all, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
