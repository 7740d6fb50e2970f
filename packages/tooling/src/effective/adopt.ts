import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { isOwnPage } from '@contract-first/service/manifest';
import { dig, entriesOf, keysOf, listOf, toPointer } from '../common/json.ts';
import { runRedocly } from '../common/redocly.ts';
import type { ContractDocument } from '../contract/document.ts';
import { type Contract, operationsIn, reachedFrom, readContract, without } from '../contract/parse.ts';
import { pathOfServer } from '../contract/servers.ts';
import { bundleFile } from './bundle.ts';
import { type Effective, effectiveContract } from './effective.ts';
import { exampleProblems } from './examples.ts';

/** What the service makes of a contract that was written elsewhere. */
export type Adopted = {
  /** The effective contract, with the operations that are served. */
  document: ContractDocument;
  /** The contract that was given, in one file. */
  bundled: string;
  title: string;
  /** The operations that it serves, as `GET /notes`. */
  served: string[];
  /** Those that it does not serve, with the reason, and its place in the file. */
  refused: { operation: string; reason: string }[];
  /** What it adds to the contract or replaces in it, each with the operations that it concerns. */
  changes: { change: string; operations: string[] }[];
};

/** A contract larger than this is not read. */
const LARGEST = 5_000_000;

const plugin = join(import.meta.dirname, `../lint/plugin${extname(import.meta.filename)}`);
const config = `plugins: [${plugin}]
extends: [minimal, ${join(import.meta.dirname, '../lint/rules.yaml')}, ${join(import.meta.dirname, '../lint/adopted.yaml')}]
`;

/**
 * Finds out what the service makes of a contract.
 *
 * @param file the contract, which may refer to others
 * @param name the name of the project; by default, it follows from the title
 * @throws Error with one sentence, and the place in the file, if the contract cannot be read or nothing of it can be served
 */
export function adopt(file: string, name?: string): Adopted {
  const contract = readForeign(file);
  const title = String(dig(contract.document, 'info', 'title') ?? 'api');
  const id = name ?? title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const folder = mkdtempSync(join(tmpdir(), 'adopt-'));
  try {
    writeFileSync(join(folder, '.redocly.yaml'), config);
    const { json, problems } = bundleFile(resolve(file), join(folder, '.redocly.yaml'));
    if (json === undefined) throw new Error(firstProblem(problems) ?? `${file} cannot be read:\n${problems}`);
    const effective = effectiveContract(JSON.parse(json), id);
    const refused = new Map<string, string[]>();
    for (const { operation, reason } of problemsOf(effective, contract, join(folder, '.redocly.yaml'))) {
      if (operation === undefined) throw new Error(reason);
      refused.set(operation, [...(refused.get(operation) ?? []), reason]);
    }
    for (const operation of ownPages(effective.document)) {
      refused.set(operation, [
        'The server itself serves this path. Use another one, or a server with a path, such as /v1.',
      ]);
    }
    return { ...reportOn(effective, refused), bundled: json };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function reportOn({ document, changes }: Effective, refused: ReadonlyMap<string, string[]>): Omit<Adopted, 'bundled'> {
  const all = operationsIn(document).filter(({ section }) => section === 'paths');
  const served = all.map(({ key }) => key).filter((key) => !refused.has(key));
  const reasons = [...refused].map(([operation, [reason = '']]) => ({ operation, reason }));
  if (served.length === 0) {
    const [first] = reasons;
    throw new Error(
      first === undefined
        ? 'The contract has no operation under paths.'
        : `No operation can be served. ${first.operation}: ${first.reason}`,
    );
  }
  return {
    document: without(document, [...refused.keys()]),
    title: document.info.title,
    served,
    refused: reasons,
    changes: [...changes].map(([change, operations]) => ({ change, operations: [...new Set(operations)] })),
  };
}

/** @throws Error if it is not a contract in OpenAPI 3.1 */
function readForeign(file: string): Contract {
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
  const { length } = readFileSync(file);
  if (length > LARGEST)
    throw new Error(`${file} has ${(length / 1e6).toFixed(1)} MB. A contract may have ${LARGEST / 1e6} MB.`);
  const contract = readContract(file);
  const at = (pointer: string) => `${file}:${contract.lineOf(pointer)}`;
  const version = String(dig(contract.document, 'openapi') ?? '');
  if (/^3\.1\.\d+$/.test(version)) return contract;
  const swagger = dig(contract.document, 'swagger');
  if (swagger !== undefined) {
    throw new Error(
      `${at('#/swagger')}: This is OpenAPI ${swagger}. Convert it to 3.1, for example with swagger2openapi and then \`openapi: 3.1.0\`.`,
    );
  }
  if (version === '') throw new Error(`${at('#/')}: This is not an OpenAPI contract: it has no \`openapi: 3.1.0\`.`);
  throw new Error(
    `${at('#/openapi')}: This is OpenAPI ${version}, and the service reads 3.1. Write the contract in 3.1.`,
  );
}

/** The operations whose path is one of the service's own pages. */
function ownPages(document: ContractDocument): string[] {
  const base = pathOfServer(document.servers[0] ?? {}) ?? '';
  const all = operationsIn(document).filter(({ section }) => section === 'paths');
  return all.filter(({ path }) => isOwnPage(base + path)).map(({ key }) => key);
}

/** The first problem that Redocly prints, in one line with its place. */
function firstProblem(printed: string): string | undefined {
  const plain = stripVTControlCharacters(printed);
  const [, place, line, what] = /\[1\] (.+):(\d+):\d+ at .*\s+(.+)/.exec(plain) ?? [];
  return what === undefined ? undefined : `${place}:${line}: ${what}`;
}

/** What the rules of a file say about the effective contract, with the places in the given one; without an operation if it concerns all. */
export function problemsOf(
  { document, givenPaths }: Pick<Effective, 'document' | 'givenPaths'>,
  { file, lineOf }: Contract,
  config: string,
): Placed[] {
  const folder = mkdtempSync(join(tmpdir(), 'effective-'));
  const effective = join(folder, 'effective.json');
  writeFileSync(effective, JSON.stringify(document));
  const { stdout, stderr } = runRedocly(
    'lint',
    effective,
    '--config',
    config,
    '--format',
    'json',
    '--max-problems',
    '100000',
  );
  rmSync(folder, { recursive: true });
  const start = stdout.indexOf('{');
  if (start === -1) throw new Error(`The rules cannot be run:\n${stderr}`);
  const report: unknown = JSON.parse(stdout.slice(start));
  const users = usersOf(document);
  const placed = ({ pointer, message }: Problem): Placed[] => {
    const [section = '', path = '', ...rest] = keysOf(pointer);
    const given = toPointer([section, givenPaths.get(path) ?? path, ...rest]);
    const reason = `${file}:${lineOf(given)}: ${message}`;
    const concerned = users(pointer);
    return concerned.length === 0
      ? [{ operation: undefined, reason }]
      : concerned.map((operation) => ({ operation, reason }));
  };
  const found = listOf(dig(report, 'problems'))
    .filter((problem) => dig(problem, 'severity') === 'error')
    .map((problem) => {
      const pointer = String(dig(problem, 'location', '0', 'pointer'));
      return { pointer, message: explained(pointer, String(dig(problem, 'message'))) };
    })
    .flatMap(placed);
  const named = new Set(found.map(({ operation }) => operation));
  // The server checks more than the schema of a response: it sends no property that the schema does not list.
  return named.has(undefined) ? found : [...found, ...exampleProblems(document, named).flatMap(placed)];
}

type Problem = { pointer: string; message: string };
type Placed = { operation: string | undefined; reason: string };

/** An example that the contract does not have was made of its schema. */
function explained(pointer: string, message: string): string {
  return /\/examples\/sample\/value/.test(pointer)
    ? message.replace('Example value must conform to the schema:', 'No example can be made of this schema, so add one:')
    : message;
}

/** The operations that a place in the contract belongs to: itself, or those that use its component. */
function usersOf(document: ContractDocument): (pointer: string) => string[] {
  const all = operationsIn(document);
  const reached = all.map(({ operation, path, section }) =>
    reachedFrom(document, [
      operation,
      entriesOf(dig(document, section, path)).filter(([name]) => name === 'parameters'),
    ]),
  );
  return (pointer) => {
    const [section, first = '', second = ''] = keysOf(pointer);
    if (section !== 'components') {
      const ofPath = all.filter((one) => one.section === section && one.path === first);
      const exact = ofPath.filter(({ method }) => method === second);
      return (exact.length > 0 ? exact : ofPath).map(({ key }) => key);
    }
    return all.filter((_, index) => reached[index]?.has(`#/components/${first}/${second}`)).map(({ key }) => key);
  };
}
