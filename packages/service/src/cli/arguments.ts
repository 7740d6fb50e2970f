import { parseArgs } from 'node:util';
import type { Contract } from '../common/facts.ts';
import { type KeyChange, type NewKey, normalizeScopes, unprintable } from '../keys/new-key.ts';
import { UsageError } from './command.ts';
import { RUN } from './help.ts';

const options = {
  plan: { type: 'string' },
  scope: { type: 'string' },
  name: { type: 'string' },
  'per-minute': { type: 'string' },
  'per-day': { type: 'string' },
  'expires-in': { type: 'string' },
  overlap: { type: 'string' },
  json: { type: 'boolean' },
} as const;

export type OptionName = keyof typeof options;
export type Arguments = ReturnType<typeof readArguments>;

/** @throws UsageError unless all options are among those of the command */
export function readArguments(command: string, args: string[], allowed: readonly OptionName[]) {
  const { values, positionals } = parse(args);
  const names = Object.keys(options).filter((name) => Object.hasOwn(values, name));
  const unknown = names.find((name) => !allowed.some((one) => one === name));
  if (unknown === undefined) return { command, values, positionals };
  const list = allowed.map((name) => `--${name}`).join(', ') || 'none';
  throw new UsageError(`${command} has no option --${unknown}. Its options are ${list}.`);
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    // The messages of Node repeat the name of the option only; their further sentences are about `--`.
    const [sentence = ''] = (error instanceof Error ? error.message : '').split(/\. |\n/);
    throw new UsageError(`${printable(sentence.replace(/\.$/, ''))}. See: ${RUN} --help`);
  }
}

/** The ID of a key, which is the only positional argument. */
export function readId({ command, positionals: [id, ...more] }: Arguments, { keyPrefix }: Contract): string {
  const toList = `To list the keys, run: ${RUN} list`;
  if (id === undefined) throw new UsageError(`${command} needs a key ID. ${toList}`);
  refuse(more);
  // The message does not repeat the key, because the output may end up in a log or on a shared screen.
  if (id.startsWith(`${keyPrefix}_live_`) || id.startsWith(`${keyPrefix}_test_`)) {
    throw new UsageError(`${command} needs the ID of the key, not the key itself. ${toList}`);
  }
  if (/^key_[0-9a-v]{16}$/.test(id)) return id;
  throw new UsageError(`${quote(id)} is not a key ID. Key IDs are key_ and 16 characters. ${toList}`);
}

export function refuse([extra]: readonly string[]): void {
  if (extra === undefined) return;
  throw new UsageError(`Unexpected argument ${quote(extra)}. With npm, put -- before the arguments: ${RUN} create`);
}

export function readNewKey(args: Arguments, contract: Contract): NewKey {
  refuse(args.positionals);
  return { ...readChange(args, contract), expiresIn: readDuration('expires-in', args) };
}

export function readChange(args: Arguments, { scopes }: Contract): KeyChange {
  const { plan, scope, name } = args.values;
  const names = scope?.split(',').map((one) => one.trim());
  const unknown = names?.find((one) => !Object.hasOwn(scopes, one));
  if (unknown !== undefined) throw invalidValue('scope', `one of ${Object.keys(scopes).join(', ')}`, unknown);
  return {
    ...(plan === undefined ? {} : { plan }),
    scope: names && normalizeScopes(names),
    name,
    perMinute: readLimit('per-minute', args),
    perDay: readLimit('per-day', args),
  };
}

/** NaN if the text is not a whole number, which `checkNewKey` refuses. */
function readLimit(name: 'per-minute' | 'per-day', { values }: Arguments): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  return /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
}

const units = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** A duration such as `30d`, `24h`, `15m` or `90s`, in milliseconds. */
export function readDuration(name: 'expires-in' | 'overlap', { values }: Arguments): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  const [, amount, unit = ''] = /^([0-9]{1,10})([smhd])$/.exec(text) ?? [];
  const milliseconds = Number(amount) * (units.get(unit) ?? Number.NaN);
  if (!Number.isNaN(milliseconds)) return milliseconds;
  throw invalidValue(name, 'a duration such as 30d, 24h, 15m or 90s', text);
}

function invalidValue(option: OptionName, wanted: string, text: string): UsageError {
  return new UsageError(`--${option} must be ${wanted}, not ${quote(text)}.`);
}

/** Formats a text for a terminal: in quotes, shortened, and without control characters. */
export function quote(text: string): string {
  return `"${printable(text.length > 60 ? `${text.slice(0, 60)}…` : text)}"`;
}

/** Replaces unprintable characters with escapes. */
export function printable(text: string): string {
  const all = new RegExp(unprintable, 'gu');
  return text.replaceAll(all, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
