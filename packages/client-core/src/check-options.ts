import { type ClientOptions, defaults } from './options.ts';

/** What an option may be: the results of `typeof`, and `false`. Undefined if `createClient` itself checks it. */
type Allowed = readonly string[] | undefined;

const allowed: Readonly<Record<Exclude<keyof ClientOptions, keyof typeof defaults>, Allowed>> = {
  apiKey: undefined,
  baseUrl: undefined,
  fetch: ['function'],
  gate: ['object', 'false'],
  validate: ['function', 'false'],
  onEvent: ['function'],
  onDeprecated: ['function', 'false'],
  logger: ['object'],
};

/** What an object must be for. */
const objects: Readonly<Record<string, string>> = {
  gate: 'a gate, such as the result of `shareAcrossTabs()`',
  logger: 'an object with functions such as `warn`',
};

/** An option of a client that cannot work. */
export class OptionError extends TypeError {}

/**
 * Checks what TypeScript cannot check for callers in JavaScript.
 *
 * @throws OptionError that says what to pass
 */
export function checkOptions(given: unknown): void {
  if (typeof given !== 'object' || given === null) {
    throw new OptionError(`Pass the options of the client: { apiKey, baseUrl }. You passed ${String(given)}.`);
  }
  // Options may be getters of a class.
  const optionOf = (name: string): unknown => Reflect.get(given, name);
  const names = [...Object.keys(allowed), ...Object.keys(defaults)];
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new OptionError(
      `\`${unknown}\` is not an option of a client. Use ${names.map((name) => `\`${name}\``).join(', ')}.`,
    );
  }
  if (optionOf('apiKey') === undefined) {
    throw new OptionError('`apiKey` is undefined. Pass your API key, and check that the variable with the key is set.');
  }
  const baseUrl = optionOf('baseUrl');
  if (baseUrl === undefined || /^[\w.-]+(:\d+)?(\/|$)/.test(String(baseUrl))) {
    const scheme = /^(localhost|[\d.]+)(:|\/|$)/.test(String(baseUrl)) ? 'http' : 'https';
    const example = baseUrl === undefined ? 'https://api.example.com' : `${scheme}://${baseUrl}`;
    throw new OptionError(`\`baseUrl\` is ${baseUrl}. Pass a URL with its scheme, such as ${example}.`);
  }
  for (const [name, types] of Object.entries(allowed)) {
    const value = optionOf(name) ?? undefined;
    const type = value === false ? 'false' : typeof value;
    if (value === undefined || types === undefined || types.includes(type)) continue;
    const kind = types.includes('object') ? objects[name] : 'a function';
    const orFalse = types.includes('false') ? ', or false' : '';
    throw new OptionError(`\`${name}\` must be ${kind}${orFalse}. Leave it out for the default.`);
  }
}
