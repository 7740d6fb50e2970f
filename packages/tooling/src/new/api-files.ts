import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isKeyScheme } from '@contract-first/service/facts';
import type { Manifest } from '../bundle/manifest.ts';
import { operationsOf, type PlacedOperation } from '../contract/document.ts';
import { credentialOf, needsKeys, schemesOf } from '../contract/security.ts';
import { pathOfServer } from '../contract/servers.ts';
import type { Adopted } from '../effective/adopt.ts';
import { prefixOf } from '../effective/security.ts';

/** A project named my-api, in which only the names and the facts of the contract are replaced. */
export const template = join(import.meta.dirname, '../../template');

type Parts = {
  name: string;
  adopted: Adopted;
  /** The text of openapi.yaml. */
  contract: string;
  /** What its package.json says about the packages that it installs. */
  packages: Pick<Manifest, 'dependencies' | 'devDependencies'>;
};

/** The files of a new project, by their path. */
export function apiFiles({ name, adopted, contract, packages }: Parts): Record<string, string> {
  const { document, refused, title } = adopted;
  const path = pathOfServer(document.servers[0] ?? {}) ?? '';
  const words = name.replaceAll('-', '_');
  const functions = functionsOf(adopted);
  const facts: [written: string | RegExp, fact: string][] = [
    ['my-api', name],
    ['MyApi', pascal(name)],
    ['my_api', words],
    ['MY_API', words.toUpperCase()],
    ['keyPrefix: ma', `keyPrefix: ${prefixOf(name)}`],
    ['leftOut: []', leftOutText(refused)],
    ['  oauth: keysInTestMode,\n', functions],
    [
      '{ keysInTestMode, type VerifyFunctions }',
      `{ ${functions === '' ? '' : 'keysInTestMode, '}type VerifyFunctions }`,
    ],
    [/curl .*(?=`)/g, firstCall(adopted)],
    [
      ":3000/v1', apiKey: process.env.API_KEY ?? ''",
      `:3000${path}'${needsKeys(document) ? ", apiKey: process.env.API_KEY ?? ''" : ''}`,
    ],
    ["GET('/notes')", `GET('${firstOperation(adopted)?.path ?? '/'}')`],
    ['My API', title.replaceAll(/\s+/g, ' ')],
  ];
  const fill = (text: string) =>
    facts.reduce((filled, [written, fact]) => filled.replaceAll(written, () => fact), text);
  const files = templateFiles().map((file) => [fill(file), fill(readFileSync(join(template, file), 'utf8'))] as const);
  const { 'package.json': manifest = '{}', gitignore = '', ...others } = Object.fromEntries(files);
  return {
    ...others,
    'package.json': `${JSON.stringify({ ...JSON.parse(manifest), ...packages }, null, 2)}\n`,
    '.gitignore': gitignore,
    'openapi.yaml': contract,
  };
}

/** The files of the template. What is generated in it serves only its type check. */
function templateFiles(): string[] {
  return readdirSync(template, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\/generated$/.test(entry.parentPath))
    .map((entry) => relative(template, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}

function pascal(name: string): string {
  return name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

function leftOutText(refused: Adopted['refused']): string {
  if (refused.length === 0) return 'leftOut: []';
  return ['leftOut:', ...refused.map(({ operation }) => `  - ${JSON.stringify(operation)}`)].join('\n');
}

/** The command that `npm start` prints, with the secret as an expression of a template. */
function firstCall(adopted: Adopted): string {
  const shown = firstOperation(adopted);
  const sent = shown && credentialOf(adopted.document, shown.operation);
  const option = sent === undefined ? '' : ` -H "${sent.name}: ${sent.prefix}\${secret}"`;
  return `curl${option} "\${apiUrl}${shown?.path ?? '/'}"`;
}

/** The operation that is shown first. */
function firstOperation({ document }: Adopted): PlacedOperation | undefined {
  const all = operationsOf(document);
  return all.find(({ method, path }) => method === 'GET' && !path.includes('{')) ?? all[0];
}

/** The security schemes that need a function of the team. */
function functionsOf({ document }: Adopted): string {
  const schemes = Object.entries(schemesOf(document)).filter(([, scheme]) => !isKeyScheme(scheme));
  return schemes
    .map(([name]) => `  ${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: keysInTestMode,\n`)
    .join('');
}
