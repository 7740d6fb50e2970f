import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isNativeError } from 'node:util/types';
import type { Contract } from '../common/contract.ts';
import { normalizeScopes, unprintable } from '../keys/new-key.ts';
import { type CommandName, createExample, optionsOf, RUN, scopeChoice } from './help.ts';

const UNITS = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** The arguments of a command. Each method throws a UsageError that names the mistake. */
export class Arguments {
  readonly contract: Contract;
  readonly #command: CommandName;
  readonly #values = new Map<string, string | true>();
  readonly #positionals: string[] = [];

  constructor(command: CommandName, args: string[], contract: Contract) {
    this.#command = command;
    this.contract = contract;
    const known = new Map(Object.entries(optionsOf(command, contract)));
    const options = [...known].map(
      ([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const,
    );
    // From the tokens, because the error messages of parseArgs are long.
    const { tokens } = parseArgs({ args, options: Object.fromEntries(options), strict: false, tokens: true });
    for (const token of tokens) {
      if (token.kind === 'positional') this.#positionals.push(token.value);
      if (token.kind !== 'option') continue;
      const { name, rawName, value, inlineValue } = token;
      const option = known.get(name);
      if (option === undefined) {
        const names = [...known.keys()].map((one) => `--${one}`).join(', ');
        throw new UsageError(`${command} has no option ${quote(rawName)}. Its options are ${names}.`);
      }
      if (this.#values.has(name)) throw new UsageError(`${rawName} appears twice.`);
      if (option.value === undefined) {
        if (value !== undefined) throw new UsageError(`${rawName} does not take a value.`);
      } else if (value === undefined || value === '' || (!inlineValue && value.startsWith('-'))) {
        throw new UsageError(`${rawName} needs a value. If the value begins with -, write ${rawName}=VALUE.`);
      }
      this.#values.set(name, value ?? true);
    }
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  text(name: string): string | undefined {
    const value = this.#values.get(name);
    return value === true ? undefined : value;
  }

  /** A whole number from 1. */
  number(name: string, most = Number.MAX_SAFE_INTEGER): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = /^[0-9]{1,16}$/.test(text) ? Number(text) : 0;
    if (value >= 1 && value <= most) return value;
    throw invalidValue(name, `a whole number from 1 to ${most}`, text);
  }

  /** A duration such as `30d`, `24h`, `15m` or `90s`, in milliseconds. */
  duration(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const [, amount, unit = ''] = /^([0-9]{1,10})([smhd])$/.exec(text) ?? [];
    const milliseconds = Number(amount) * (UNITS.get(unit) ?? Number.NaN);
    if (!Number.isNaN(milliseconds)) return milliseconds;
    throw invalidValue(name, 'a duration such as 30d, 24h, 15m or 90s', text);
  }

  plan(): string | undefined {
    const { plans } = this.contract;
    const text = this.text('plan');
    if (text === undefined || Object.hasOwn(plans, text)) return text;
    throw invalidValue('plan', `one of ${Object.keys(plans).join(', ')}`, text);
  }

  /** One scope or several with commas between them, as they are stored. */
  scope(): string | undefined {
    const { scopes } = this.contract;
    const text = this.text('scope');
    const names = text?.split(',').map((name) => name.trim()) ?? [];
    const unknown = names.find((name) => !Object.hasOwn(scopes, name));
    if (unknown !== undefined) throw invalidValue('scope', scopeChoice(this.contract), unknown);
    return text === undefined ? undefined : normalizeScopes(names);
  }

  /** The ID of a key, which is the only positional argument. */
  id(): string {
    const toList = `To list the keys, run: ${RUN} list`;
    const [id, ...extra] = this.#positionals;
    if (id === undefined) throw new UsageError(`${this.#command} needs a key ID. ${toList}`);
    this.#refuse(extra);
    // The message does not repeat the key, because the output may end up in a log or on a shared screen.
    const prefix = this.contract.keyPrefix;
    if (id.startsWith(`${prefix}_live_`) || id.startsWith(`${prefix}_test_`)) {
      throw new UsageError(`${this.#command} needs the ID of the key, not the key itself. ${toList}`);
    }
    if (/^key_[0-9a-v]{16}$/.test(id)) return id;
    throw new UsageError(`${quote(id)} is not a key ID. Key IDs are key_ and 16 characters. ${toList}`);
  }

  /** The ID of a key, if there is any positional argument. */
  idIfAny(): string | undefined {
    return this.#positionals.length === 0 ? undefined : this.id();
  }

  refusePositionals(): void {
    this.#refuse(this.#positionals);
  }

  #refuse([extra]: string[]): void {
    if (extra === undefined) return;
    throw new UsageError(
      `Unexpected argument ${quote(extra)}. With npm, put -- before the arguments: ${createExample(this.contract)}`,
    );
  }
}

/** So that one transaction stays short. */
export const MAX_KEYS = 10_000;

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

/** The arguments are not valid. The message is one line that says what to do instead. */
export class UsageError extends Error {
  override name = 'UsageError';
}

function invalidValue(option: string, wanted: string, text: string): UsageError {
  return new UsageError(`--${option} must be ${wanted}, not ${quote(text)}.`);
}

const SHOWN = 60;

/** Formats a text for a terminal: in quotes, shortened, and without control characters. */
export function quote(text: string): string {
  return `"${printable(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)}"`;
}

/** Replaces unprintable characters with escapes. */
export function printable(text: string): string {
  const all = new RegExp(unprintable, 'gu');
  return text.replaceAll(all, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
