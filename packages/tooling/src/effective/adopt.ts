import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withoutExamples } from '@contract-first/service/document';
import { isOwnPage } from '@contract-first/service/facts';
import { withTemporaryFolder, writeWhole } from '../common/files.ts';
import { dig, entriesOf, listOf, toPointer } from '../common/json.ts';
import { runRedocly, servedConfig } from '../common/redocly.ts';
import type { ContractDocument } from '../contract/document.ts';
import { type Contract, operationsIn, readContract, usersOf, without } from '../contract/parse.ts';
import { pathOfServer } from '../contract/servers.ts';
import { bundleFile, upgraded } from './bundle.ts';
import type { JsonObject } from './draft.ts';
import { type Effective, effectiveContract } from './effective.ts';
import { longRow } from './examples.ts';
import { filesInside } from './files.ts';
import { deepPlaces } from './references.ts';

/** What the service makes of a contract that was written elsewhere. */
export type Adopted = {
  /** The effective contract, with the operations that are served. */
  document: ContractDocument;
  /** The contract that was given, in one file. */
  bundled: JsonObject;
  title: string;
  /** The operations that it serves, as `GET /notes`. */
  served: string[];
  /** Those of them whose requests and responses are as the contract says. */
  asWritten: string[];
  /** Those that it does not serve, with the reason, and its place in the file. */
  refused: { operation: string; reason: string }[];
  /** What is not valid, and what no operation depends on. */
  faults: string[];
  /** What it says about the contract, each with the operations that it concerns. */
  changes: { change: string; operations: string[] }[];
};

/** A contract larger than this is not read. */
const LARGEST = 20_000_000;
/** Of a contract with more levels, no part is served. The first keys lead to the line of its operation. */
const DEEPEST = 1_500;

/**
 * Finds out what the service makes of a contract.
 *
 * @param file the contract, which may refer to others
 * @param name the name of the project; by default, it follows from the title
 * @param isFetching whether URLs that it refers to are read
 * @throws Error with one sentence, and the place in the file, if the contract cannot be read or nothing of it can be served
 */
export function adopt(file: string, name?: string, isFetching = false): Adopted {
  const contract = readForeign(file);
  const { files, leftOut } = filesInside(contract, isFetching);
  const title = String(dig(contract.document, 'info', 'title') ?? 'api');
  const id = name ?? title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return withTemporaryFolder((folder) => {
    const rules = servedConfig(folder);
    // Redocly does not read all YAML.
    for (const { file: name, document } of files)
      writeWhole(join(folder, resolve(name)), typeof document === 'string' ? document : JSON.stringify(document));
    const bundled = bundleFile(contract, rules, join(folder, resolve(file)));
    const effective = effectiveContract(upgraded(bundled), id);
    if (leftOut.length > 0) effective.changes.set('Examples that contain `$ref` are left out.', []);
    return { ...reportOn(effective, problemsOf(effective, contract, rules), title), bundled };
  });
}

function reportOn({ document, changes, changed }: Effective, found: Placed[], title: string): Omit<Adopted, 'bundled'> {
  const reasons = found.flatMap(({ operation, reason }) => (operation === undefined ? [] : [{ operation, reason }]));
  const refused = [...Map.groupBy(reasons, ({ operation }) => operation).values()].flatMap(([first]) => first ?? []);
  const keys = refused.map(({ operation }) => operation);
  const all = operationsIn(document).filter(({ section }) => section === 'paths');
  const served = all.map(({ key }) => key).filter((key) => !keys.includes(key));
  if (served.length === 0) {
    const places = new Map<string, string[]>();
    for (const { operation, reason } of refused) {
      const [, place, message = reason] = /^(.+?:\d+): (.*)$/s.exec(reason) ?? [];
      places.set(message, [...(places.get(message) ?? []), place === undefined ? operation : `${operation} ${place}`]);
    }
    const lines = [...places].map(([message, all]) => counted(message, all));
    throw new Error(['No operation can be served.', ...lines].join('\n'));
  }
  return {
    document: without(document, keys),
    title,
    served,
    asWritten: served.filter((key) => !changed.has(key)),
    refused,
    faults: [...new Set(found.flatMap(({ operation, reason }) => (operation === undefined ? [reason] : [])))],
    changes: [...changes].map(([change, operations]) => ({ change, operations: [...new Set(operations)] })),
  };
}

/** A sentence with the number of places that it concerns, and the first of them. */
export function counted(text: string, places: readonly string[]): string {
  if (places.length === 0) return text;
  return `${text} (${places.length}: ${places.slice(0, 3).join(', ')}${places.length > 3 ? ', …' : ''})`;
}

/** @throws Error if it is not a contract in OpenAPI 2.0, 3.0 or 3.1 */
function readForeign(file: string): Contract {
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
  const { size } = statSync(file);
  if (size > LARGEST)
    throw new Error(`${file} has ${(size / 1e6).toFixed(1)} MB. A contract may have ${LARGEST / 1e6} MB.`);
  const contract = readContract(file);
  const { document, lineOf } = contract;
  const version = String(dig(document, 'openapi') ?? dig(document, 'swagger') ?? '');
  if (version === '') throw new Error(`${file}:1: This is not an OpenAPI contract: it has no \`openapi: 3.1.0\`.`);
  if (!/^(2\.0|3\.[01]\.\d+)$/.test(version)) {
    throw new Error(
      `${file}:${lineOf('#/openapi')}: This is OpenAPI ${version}, and the service reads 3.1, 3.0 and 2.0. Write the contract in 3.1.`,
    );
  }
  if (entriesOf(dig(document, 'paths')).length === 0) {
    throw new Error(`${file}:${lineOf('#/paths')}: The contract has no operation under paths.`);
  }
  const [deep] = deepPlaces(document, DEEPEST);
  if (deep !== undefined)
    throw new Error(
      `${file}:${lineOf(toPointer(deep.slice(0, 9)))}: This is nested more than ${DEEPEST} levels deep. Move parts to components.`,
    );
  return contract;
}

/** The operations whose path is one of the service's own pages. */
function ownPages(document: ContractDocument): string[] {
  const base = pathOfServer(document.servers[0] ?? {}) ?? '';
  const all = operationsIn(document).filter(({ section }) => section === 'paths');
  return all.filter(({ path }) => isOwnPage(base + path)).map(({ key }) => key);
}

/**
 * What the rules of a file say about the effective contract, with the places in the given one; without an operation if none depends on it.
 */
export function problemsOf(
  { document, problems, isOurs }: Omit<Effective, 'changes' | 'changed'>,
  { file, lineOf }: Contract,
  config: string,
): Placed[] {
  const report = withTemporaryFolder((folder): unknown => {
    const effective = join(folder, 'effective.json');
    const unread = problems.filter(({ message }) => message === longRow).map(({ operation }) => operation);
    const linted = unread.length === 0 ? document : without(document, unread);
    // No rule for contracts from elsewhere reads examples.
    writeFileSync(effective, JSON.stringify(isOurs ? linted : withoutExamples(linted)));
    const options = ['--config', config, '--format', 'json', '--max-problems', '100000'];
    const { stdout, stderr } = runRedocly('lint', effective, ...options);
    const start = stdout.indexOf('{');
    if (start === -1) throw new Error(`The rules cannot be run:\n${stderr}`);
    return JSON.parse(stdout.slice(start).replaceAll(`${folder}/`, ''));
  });
  const users = usersOf(document);
  const placeOf = (pointer: string) => `${file}:${lineOf(pointer)}`;
  const found = listOf(dig(report, 'problems'))
    .filter((problem) => dig(problem, 'severity') === 'error' && (isOurs || !isUnknownKeyword(problem)))
    // What is not valid OpenAPI explains the other problems of a place.
    .sort((one, other) => Number(isInvalid(other)) - Number(isInvalid(one)))
    .flatMap((problem): Placed[] => {
      const pointer = String(dig(problem, 'location', '0', 'pointer'));
      const reason = `${placeOf(pointer)}: ${dig(problem, 'message')}`;
      const concerned = users(pointer).map(({ key }) => key);
      return concerned.length === 0
        ? [{ operation: undefined, reason }]
        : concerned.map((operation) => ({ operation, reason }));
    });
  const pages = ownPages(document).map((operation) => ({
    operation,
    reason: 'The server itself serves this path. Use another one, or a server with a path, such as /v1.',
  }));
  const further = problems.map(({ operation, pointer, message }) => ({
    operation,
    reason: `${placeOf(pointer)}: ${message}`,
  }));
  return [...found, ...pages, ...further];
}

const isInvalid = (problem: unknown) => /^(struct|no-unresolved-refs)$/.test(String(dig(problem, 'ruleId')));

/** JSON Schema and OpenAPI allow further keywords: no tool reads them. */
function isUnknownKeyword(problem: unknown): boolean {
  return dig(problem, 'ruleId') === 'struct' && /is not expected here/.test(String(dig(problem, 'message')));
}

type Placed = { operation: string | undefined; reason: string };
