import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isKeyScheme } from '@contract-first/service/facts';
import { operationsOf, type PlacedOperation } from '../contract/document.ts';
import { credentialOf, needsKeys, schemesOf, sentInWords } from '../contract/security.ts';
import { pathOfServer } from '../contract/servers.ts';
import type { Adopted } from '../effective/adopt.ts';
import { prefixOf } from '../effective/security.ts';

/** A project named my-api, in which only the names and the facts of the contract are replaced. */
const template = join(import.meta.dirname, '../../template');

type Parts = {
  name: string;
  adopted: Adopted;
  /** The text of openapi.yaml. */
  contract: string;
  /** The versions of the packages that the project installs, by name. */
  packages: Record<string, string>;
};

/** The files of a new project, by their path. */
export function apiFiles({ name, adopted, contract, packages }: Parts): Record<string, string> {
  const { document, refused, title } = adopted;
  const guides = [
    ...(needsKeys(document) ? ['keys'] : []),
    ...(document['x-rate-limits'] === undefined ? [] : ['limits']),
  ];
  const path = pathOfServer(document.servers[0] ?? {}) ?? '';
  const words = name.replaceAll('-', '_');
  const functions = functionsOf(adopted);
  const facts: [written: string | RegExp, fact: string][] = [
    ['my-api', name],
    ['MyApi', pascal(name)],
    ['my_api', words],
    ['MY_API', words.toUpperCase()],
    ['keyPrefix: ma', `keyPrefix: ${prefixOf(name)}`],
    ['keys, limits, errors', [...guides, 'errors'].join(', ')],
    ['leftOut: []', leftOutText(refused)],
    ['CREDENTIALS', credentialsInWords(adopted)],
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
  const files = templateFiles()
    .filter((file) => !/guides\/(keys|limits)\.md$/.test(file) || guides.some((guide) => file.endsWith(`/${guide}.md`)))
    .map((file) => [fill(file), fill(readFileSync(join(template, file), 'utf8'))] as const);
  const { 'package.json': manifest = '{}', gitignore = '', ...others } = Object.fromEntries(files);
  return {
    ...others,
    'package.json': `${JSON.stringify({ ...JSON.parse(manifest), devDependencies: packages }, null, 2)}\n`,
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

/** How callers prove who they are, in Markdown. */
function credentialsInWords({ document }: Adopted): string {
  const sent = Object.values(schemesOf(document)).map((scheme) => `* ${sentInWords(scheme, isKeyScheme(scheme))}\n`);
  return `Send what the operation asks for:\n\n${sent.join('')}\nA \`401\` says in \`WWW-Authenticate\` what is missing, and a \`403\` names the scopes that your credentials lack.`;
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
