import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { entriesOf, toPointer } from '../common/json.ts';
import { type Contract, readContract } from '../contract/parse.ts';

/** The file of a project with everything about it that is not in its contract. Each setting is optional. */
const settingsFile = 'contract-first.yaml';

/** What `contract-first.yaml` says. */
export type Settings = {
  /** The name of the API in the docs. Default: `info.title`. */
  name?: string;
  /** Shapes of an SVG in a box of 32 by 32, with single quotation marks. Default: the first letter of the name. */
  logo?: string;
  /** The beginning of the environment variables in samples, such as `TREE_NURSERY`. Default: the name in package.json. */
  variable?: string;
  /** The first part of API keys of a completed contract, such as `tn`. Default: the first letters of the name in package.json. */
  keyPrefix?: string;
  /** The beginning of the names of metrics, such as `tree_nursery`. Default: the name of the service. */
  metricPrefix?: string;
  /** Whether the service adds to openapi.yaml what it lacks. Default: false. */
  completes?: boolean;
  /** The operations of openapi.yaml that are not served, such as `GET /notes`. */
  leftOut?: string[];
  /** The home page of the docs. Defaults: `info.title`, `info.summary`, and the first GET without required parameters. */
  home?: { heading?: string; text?: string; operation?: string; query?: string };
  /** The guides by their group, in the order of the menu. Default: all of docs/guides in one group. */
  menu?: Record<string, string[]>;
};

/** Returns what is wrong with a value, without a full stop; undefined if it is fine. */
type Check = (value: unknown) => string | undefined;

const text: Check = (value) => (typeof value === 'string' && value.trim() !== '' ? undefined : 'must be a text');
const anyText: Check = (value) => (typeof value === 'string' ? undefined : 'must be a text');
const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const texts: Check = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? undefined : 'must be a list of texts';

function matching(pattern: RegExp, what: string): Check {
  return (value) => (typeof value === 'string' && pattern.test(value) ? undefined : `must be ${what}`);
}

/** The settings, with those of a group below its name. `*` is for names of the project's own. */
const checks = new Map<string, Check>([
  ['name', text],
  ['logo', matching(/^<[^"]+>$/, 'the shapes of an SVG, with single quotation marks')],
  ['variable', matching(/^[A-Z][A-Z0-9_]*$/, 'the name of an environment variable in capitals, like TREE_NURSERY')],
  ['keyPrefix', matching(/^[a-z][a-z0-9]{0,11}$/, 'at most 12 lower-case letters and digits, like tn')],
  ['metricPrefix', matching(/^[a-z][a-z0-9_]*$/, 'the beginning of a name of Prometheus, like tree_nursery')],
  ['completes', flag],
  ['leftOut', texts],
  ['home.heading', text],
  ['home.text', text],
  ['home.operation', text],
  ['home.query', anyText],
  ['menu.*', texts],
]);

/** @throws Error that names the line of each setting that is unknown or not valid */
export function readSettings(folder: string): Settings {
  const file = join(folder, settingsFile);
  return existsSync(file) ? settingsOf(readContract(file, settingsFile)) : {};
}

/** @throws Error as `readSettings` does */
export function settingsOf({ document, file, lineOf }: Pick<Contract, 'document' | 'file' | 'lineOf'>): Settings {
  if (document !== null && !hasNames(document)) {
    throw new Error(`${file}:1: The settings are names with values, like "name: Tree Nursery".`);
  }
  const problems = entriesOf(document).flatMap(([name, value]) => {
    if (namesBelow(`${name}.`).length === 0) return problemOf([name], value);
    if (!hasNames(value)) return [{ keys: [name], what: `${name} must have names with values.` }];
    return entriesOf(value).flatMap(([key, part]) => problemOf([name, key], part));
  });
  if (problems.length === 0) return Object(document ?? {});
  throw new Error(problems.map(({ keys, what }) => `${file}:${lineOf(toPointer(keys))}: ${what}`).join('\n'));
}

function problemOf(keys: string[], value: unknown): { keys: string[]; what: string }[] {
  const name = keys.join('.');
  const group = keys.length === 1 ? '' : `${keys[0]}.`;
  const check = checks.get(name) ?? checks.get(`${group}*`);
  if (check === undefined) {
    return [{ keys, what: `There is no setting ${name}. There is: ${namesBelow(group).join(', ')}.` }];
  }
  const what = check(value);
  return what === undefined ? [] : [{ keys, what: `${name} ${what}.` }];
}

/** The names after a beginning such as `home.`, without what is below them. */
function namesBelow(group: string): string[] {
  const names = [...checks.keys()].filter((name) => name.startsWith(group));
  return [...new Set(names.map((name) => name.slice(group.length).replace(/\..*/, '')))];
}

function hasNames(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
