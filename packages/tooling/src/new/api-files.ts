import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isKeyScheme } from '@contract-first/service/facts';
import type { Manifest } from '../bundle/manifest.ts';
import { type ContractDocument, firstOperation } from '../contract/document.ts';
import { credentialOf, needsKeys, schemesOf } from '../contract/security.ts';
import { pathOfServer } from '../contract/servers.ts';
import type { Adopted } from '../effective/adopt.ts';
import { prefixOf } from '../effective/security.ts';
import { factsOf } from './facts.ts';
import { validRequest } from './requests.ts';

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
    [/curl .*(?=`)/g, firstCall(document)],
    [
      ":3000/v1', apiKey: process.env.API_KEY ?? ''",
      `:3000${path}'${needsKeys(document) ? ", apiKey: process.env.API_KEY ?? ''" : ''}`,
    ],
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
  return name.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
}

function leftOutText(refused: Adopted['refused']): string {
  if (refused.length === 0) return 'leftOut: []';
  return ['leftOut:', ...refused.map(({ operation }) => `  - ${JSON.stringify(operation)}`)].join('\n');
}

/** The command that `npm start` prints, as the text of a template: a request with the required parts. */
function firstCall(document: ContractDocument): string {
  const shown = firstOperation(document);
  const facts = factsOf(document).find(({ id }) => id === shown?.operation.operationId);
  if (shown === undefined || facts === undefined) throw new Error('The contract has no operations.');
  const { path = {}, query = {}, headers = {}, body } = validRequest(facts);
  const filled = shown.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  const values = Object.entries(query).map(([name, value]) => [name, String(value)]);
  const url = `${filled}${values.length === 0 ? '' : `?${new URLSearchParams(values)}`}`.replaceAll('$', '\\$');
  const sent = credentialOf(document, shown.operation);
  const [type] = Object.keys(shown.body?.content ?? {});
  return [
    `curl${shown.method === 'GET' ? '' : ` -X ${shown.method}`}`,
    ...(sent === undefined ? [] : [`-H "${sent.name}: ${sent.prefix}\${secret}"`]),
    ...Object.entries(headers).map(([name, value]) => inTemplate(`-H ${inShell(`${name}: ${value}`)}`)),
    `"\${apiUrl}${inTemplate(url)}"`,
    ...(body === undefined ? [] : [inTemplate(`-H 'Content-Type: ${type}' -d ${inShell(JSON.stringify(body))}`)]),
  ].join(' ');
}

const inShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const inTemplate = (text: string) => text.replaceAll(/[\\`$]/g, '\\$&');

/** The security schemes that need a function of the team. */
function functionsOf({ document }: Adopted): string {
  const schemes = Object.entries(schemesOf(document)).filter(([, scheme]) => !isKeyScheme(scheme));
  return schemes
    .map(([name]) => `  ${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: keysInTestMode,\n`)
    .join('');
}
