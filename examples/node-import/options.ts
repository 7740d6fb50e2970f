import { parseArgs } from 'node:util';
import { ImportError } from './exit.ts';

/** The settings of an import. */
export type Settings = {
  file: string;
  apiKey: string;
  baseUrl: string;
  journal: string;
  /** Whether to add the valid rows if others are invalid. */
  skipBad: boolean;
  resendUnsure: boolean;
  /** How long to keep trying without a response, in milliseconds. */
  patience: number;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** The defaults of the options. */
export const defaults = { baseUrl: 'http://127.0.0.1:3000/v1', patienceSeconds: 600 } as const;

const options = {
  'base-url': { type: 'string' },
  journal: { type: 'string' },
  patience: { type: 'string' },
  'skip-bad': { type: 'boolean' },
  'resend-unsure': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/**
 * Reads the settings from the command line and the environment.
 *
 * @throws ImportError with the problem
 */
export function readSettings(args: string[], environment: Environment): Settings | 'help' {
  const { values, positionals } = parse(args);
  if (values.help === true) return 'help';
  const [file, ...extra] = positionals;
  if (file === undefined) throw wrong('Pass the name of a CSV file.');
  if (extra.length > 0)
    throw wrong(`You can import only one file at a time. Unexpected argument: ${JSON.stringify(extra[0])}.`);
  const baseUrl = readBaseUrl(values['base-url'] ?? defaults.baseUrl);
  return {
    file,
    apiKey: readKey(environment['ANIMAL_STORE_KEY']),
    baseUrl,
    journal: values.journal ?? defaultJournal(file, baseUrl),
    skipBad: values['skip-bad'] === true,
    resendUnsure: values['resend-unsure'] === true,
    patience: readSeconds(values.patience ?? `${defaults.patienceSeconds}`) * 1_000,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    // Only the first sentence, because the rest is about values that begin with a dash.
    const [reason] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw wrong(`${reason?.replace(/\.$/, '')}.`);
  }
}

/** Each store has its own journal for a file, because a row that is in one store may be missing in another. */
function defaultJournal(file: string, baseUrl: string): string {
  const { host, pathname } = new URL(baseUrl);
  return `${file}.${`${host}${pathname}`.replaceAll(/[^A-Za-z0-9.-]+/g, '_')}.journal`;
}

function readBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw wrong(`--base-url must be a URL such as ${defaults.baseUrl}, not ${JSON.stringify(text)}.`);
  }
  return text.replace(/\/+$/, '');
}

function readSeconds(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw wrong(`--patience must be a number of seconds, not ${JSON.stringify(text)}.`);
}

function readKey(text = ''): string {
  const key = text.trim();
  if (key === '') throw wrong('Set ANIMAL_STORE_KEY to your API key.');
  // A key that cannot be sent in a header would fail later with an unhelpful message.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw wrong('ANIMAL_STORE_KEY contains characters that are not valid in an API key.');
  return key;
}

function wrong(message: string): ImportError {
  return new ImportError('notBegun', `${message} See --help.`);
}
