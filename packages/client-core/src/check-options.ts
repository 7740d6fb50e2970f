import { type ClientOptions, defaults } from './options.ts';

const own: Record<Exclude<keyof ClientOptions, keyof typeof defaults>, true> = {
  apiKey: true,
  baseUrl: true,
  fetch: true,
  gate: true,
  validate: true,
  onEvent: true,
  onDeprecated: true,
  logger: true,
};

/** An option of a client that cannot work. */
export class OptionError extends TypeError {}

/**
 * Checks what callers in JavaScript do wrong most often.
 *
 * @throws OptionError that says what to pass
 */
export function checkOptions(given: ClientOptions): void {
  const names = Object.keys({ ...own, ...defaults });
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new OptionError(
      `\`${unknown}\` is not an option of a client. Use ${names.map((name) => `\`${name}\``).join(', ')}.`,
    );
  }
  if (given.apiKey === undefined) {
    throw new OptionError('`apiKey` is undefined. Pass your API key, and check that the variable with the key is set.');
  }
}
