import { isKeyScheme } from '@contract-first/service/manifest';
import { type ContractDocument, needsKeys, operationsOf } from '../contract/document.ts';
import { credentialOf, schemesOf, sentInWords } from '../contract/security.ts';
import { pathOfServer } from '../contract/servers.ts';
import type { Adopted } from '../effective/adopt.ts';
import { prefixOf } from '../effective/security.ts';
import { factsOf, type OperationFacts } from './facts.ts';
import { guidesOf } from './guides.ts';
import { harnessFiles } from './harness.ts';

type Parts = {
  name: string;
  adopted: Adopted;
  /** The text of openapi.yaml. */
  contract: string;
  /** The versions of the packages that the project installs, by name. */
  packages: Record<string, string>;
};

/** The files of a new project, by their path. */
export function apiFiles(parts: Parts): Record<string, string> {
  const { name, adopted, contract } = parts;
  const create = `create${pascal(name)}`;
  const guides = guidesOf(adopted.document);
  const fill = (text: string) =>
    text
      .replaceAll('NAME', name)
      .replaceAll('BASEPATH', pathOfServer(adopted.document.servers[0] ?? {}) ?? '')
      .replaceAll('TITLE', adopted.title)
      .replaceAll('CREATE', create)
      .replaceAll('STORE', `${pascal(name)}Store`);
  return {
    'package.json': rootManifest(parts),
    'openapi.yaml': contract,
    '.redocly.yaml': lintSettings,
    '.gitignore': 'node_modules/\ndist/\ndata/\n*.tsbuildinfo\n',
    'README.md': fill(readmeOf(adopted.document)),
    LICENSE: 'All rights reserved.\n',
    'scripts/start.mjs': startScript,
    'tsconfig.json': json(
      compilerOptions({ noEmit: true, allowImportingTsExtensions: true }, ['packages/*/src', 'packages/*/test']),
    ),
    'jest.config.json': json(jestSettings),
    '.github/workflows/ci.yml': workflow,
    'contract-first.yaml': settingsText(name, adopted),
    ...Object.fromEntries(
      Object.entries(guides).map(([guide, text]) => [
        `docs/guides/${guide}.md`,
        fill(text).replace('CREDENTIALS', () => credentialsInWords(adopted)),
      ]),
    ),
    ...contractPackage(fill),
    ...serverPackage(parts, fill),
    ...clientPackage(parts, fill),
  };
}

/** Files that fit the packages to a project. */
const supporting = [
  ...['.redocly.yaml', 'jest.config.json', 'scripts/start.mjs', 'tsconfig.json'],
  ...['packages/contract/src/index.ts', 'packages/server/src/main.ts'],
  ...['api.ts', 'operation.ts', 'verify.ts'].map((file) => `packages/server/src/operations/${file}`),
  ...['harness.ts', 'common-responses.ts', 'every-operation.test.ts'].map((file) => `packages/server/test/${file}`),
  ...['mocks', 'queries', 'react'].map((entry) => `packages/client/src/${entry}/index.ts`),
];

/** These files as a new project has them, by their path. */
export function supportFiles(name: string, adopted: Adopted): Record<string, string> {
  const files = apiFiles({ name, adopted, contract: '', packages: {} });
  return Object.fromEntries(supporting.map((file) => [file, files[file] ?? '']));
}

/** The operation that is shown first. */
function home({ document }: Pick<Adopted, 'document'>): OperationFacts | undefined {
  const all = factsOf(document);
  return all.find(({ method, path }) => method === 'GET' && !path.includes('{')) ?? all[0];
}

function pascal(name: string): string {
  return name
    .split('-')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Node runs the sources; the tools check their types. */
function compilerOptions(more: object, include: string[]) {
  return {
    compilerOptions: {
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: true },
      ...{ module: 'nodenext', target: 'es2024', lib: ['es2024', 'esnext.disposable', 'dom'], types: ['node'] },
      ...more,
    },
    include,
  };
}

function rootManifest({ name, packages }: Parts): string {
  const commands = ['dev', 'generate', 'lint', 'diff', 'docs', 'new', 'pack'];
  const own = ['start', 'test', 'check', 'jest', 'keys'];
  return json({
    name,
    private: true,
    type: 'module',
    engines: { node: '>=20' },
    workspaces: ['packages/*'],
    scripts: {
      setup: `node -e "const at = (file) => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0; at('node_modules/.package-lock.json') > at('package.json') || child_process.execSync('npm install --no-audit --no-fund', { stdio: 'inherit' })"`,
      ...Object.fromEntries([...commands, ...own].map((command) => [`pre${command}`, 'npm run --silent setup'])),
      start: 'node scripts/start.mjs',
      test: 'contract-first generate && contract-first lint && tsc && npm run --silent jest',
      check: 'contract-first generate --check && contract-first lint && tsc',
      jest: 'node --experimental-vm-modules --disable-warning=ExperimentalWarning node_modules/jest/bin/jest.js',
      ...Object.fromEntries(commands.map((command) => [command, `contract-first ${command}`])),
      keys: 'node packages/server/src/main.ts keys',
    },
    devDependencies: packages,
  });
}

/** The settings, with those that have their defaults in comments. */
function settingsText(name: string, adopted: Adopted): string {
  const words = name.replaceAll('-', '_');
  const operation = home(adopted)?.id ?? 'getStatus';
  const leftOut = adopted.refused.map((refusal) => `\n  - ${JSON.stringify(refusal.operation)}`).join('');
  return `# What is not in openapi.yaml about this API. Each setting is optional; the comments show the defaults.

# The name in the docs: the title in openapi.yaml.
# name: ${JSON.stringify(adopted.title)}

# The logo of the docs, as shapes of an SVG in a box of 32 by 32: the first letter of the name.
# logo: "<circle cx='16' cy='16' r='14'/>"

# The colours of links and buttons. Text needs a contrast of 4.5.
# colours: { light: '#0b6b4d', dark: '#62d2a6' }

# The beginning of environment variables in samples, of API keys, and of the names of metrics.
# variable: ${words.toUpperCase()}
# keyPrefix: ${prefixOf(name)}
# metricPrefix: ${words}

# The home page of the docs: title and summary of the contract, and a call of its first GET.
# home: { heading: Build with us, text: What the API does., operation: ${operation}, query: '' }

# The guides of docs/guides, by their group in the menu.
menu:
  Guides: [${Object.keys(guidesOf(adopted.document)).join(', ')}]

# Words that readers search for, and the words of the docs for the same thing.
# synonyms: { plant|sapling: tree }

# By operation, the operations that its sample needs to run before it.
# needs: { ${operation}: [otherOperation] }

# The service adds to openapi.yaml what it lacks. These operations are not served.
completes: true
leftOut:${leftOut === '' ? ' []' : leftOut}
`;
}

const lintSettings = `plugins: [node_modules/@contract-first/tooling/dist/lint/plugin.js]
extends:
  - minimal
  - node_modules/@contract-first/tooling/dist/lint/rules.yaml
  # Delete this line to also have the rules about documentation.
  - node_modules/@contract-first/tooling/dist/lint/adopted.yaml
`;

const jestSettings = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/packages/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } }],
  },
};

const workflow = `name: CI
on: [push, pull_request]
permissions: { contents: read }
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with: { node-version: 24 }
      - run: npm ci
      - run: npm run lint
      - run: npm run diff
      - run: npm test
      - run: npm run docs
      # A preview of the docs.
      - uses: actions/upload-artifact@v4
        with: { name: docs, path: dist/docs, if-no-files-found: error }

  # Publishes the docs of a tag. In the settings of the repository, choose GitHub Actions as the source of Pages.
  docs:
    if: startsWith(github.ref, 'refs/tags/v')
    needs: test
    runs-on: ubuntu-latest
    environment: github-pages
    permissions: { pages: write, id-token: write }
    steps:
      - uses: actions/download-artifact@v4
        with: { name: docs, path: dist/docs }
      - uses: actions/upload-pages-artifact@v4
        with: { path: dist/docs }
      - uses: actions/deploy-pages@v4
`;

const startScript = `/** Generates what changed in the contract, builds the docs if they are missing or old, and runs the server. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';

const tools = 'node_modules/@contract-first/tooling/dist/main.js';
const run = (command) => spawnSync(process.execPath, [tools, command], { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
// npm exits without waiting for its child, and an orphaned server would keep the port.
const parent = process.ppid;
setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGTERM'), 500).unref();

if (!run('generate')) process.exit(1);
const built = 'dist/docs/index.html';
const sources = ['openapi.yaml', 'contract-first.yaml', ...readdirSync('docs/guides').map((file) => \`docs/guides/\${file}\`)];
const isOlder = (file) => statSync(file).mtimeMs > statSync(built).mtimeMs;
if (!existsSync(built) || sources.some(isOlder)) run('docs');
await import('../packages/server/src/main.ts');
`;

const readmeOf = (document: ContractDocument) => `# TITLE

An API that is served from its contract, \`openapi.yaml\`.

\`\`\`sh
npm install
npm start          # serves the contract, with SQLite in data/, and prints ${needsKeys(document) ? 'a key and ' : ''}a first call
npm test           # checks the contract and the types, and calls every operation without code
\`\`\`

An operation without code answers the example of its contract, with the header \`X-Example-Response: true\`. On a server in live mode it
answers 501. \`npm run new\` lists them, and \`npm run new -- operation ID\` writes the files of one and prints the steps.

| folder | content |
|---|---|
| \`openapi.yaml\` | the contract; the service adds its own headers and errors to it, and publishes the result at /openapi.json |
| \`packages/contract\` | types and constants, which \`npm run generate\` writes |
| \`packages/server\` | the operations and their storage, on SQLite and PostgreSQL |
| \`packages/client\` | the client, with hooks and mocks: \`CREATE\` |
| \`docs\` | guides; \`npm run docs\` builds the docs |
| \`vendor\` | the packages that serve any contract |

In production, set \`NODE_ENV=production\` and \`DATABASE_URL\`; then the server is in live mode. \`contract-first.yaml\` has the
name, colours and menu of the docs, and \`leftOut\` lists operations that the service cannot serve. If you change one so that it can, remove it there.
`;

/** What is generated for servers and clients. */
const generated = ['constants', 'examples', 'requests', 'responses'];

function contractPackage(fill: (text: string) => string): Record<string, string> {
  return {
    'packages/contract/package.json': json({
      ...{ name: fill('@NAME/contract'), version: '0.0.0', type: 'module', private: true },
      exports: {
        '.': './src/index.ts',
        './types': './src/index.ts',
        ...Object.fromEntries(generated.map((file) => [`./${file}`, `./src/generated/${file}.ts`])),
      },
      scripts: { build: 'contract-first build contract' },
    }),
    'packages/contract/README.md': fill('# @NAME/contract\n\nThe types of the API.\n'),
    'packages/contract/tsconfig.build.json': json(buildOptions({})),
    'packages/contract/src/index.ts': `/** The contract: its types, and what the service needs to know about it. */
import { readFileSync } from 'node:fs';
import * as constants from './generated/constants.ts';
import type { operations as OperationTypes } from './generated/openapi.ts';

export type * from './generated/openapi.ts';
export type { OperationTypes };

const json = readFileSync(new URL('generated/openapi.json', import.meta.url), 'utf8');
const facts = { ...constants, version: constants.contractVersion, json };

export const contract: typeof facts & { readonly types?: OperationTypes } = facts;

export type OperationId = keyof typeof constants.operations;
export type ErrorCode = keyof typeof constants.errorStatus;
`,
  };
}

function buildOptions(paths: object) {
  return compilerOptions(
    { paths, declaration: true, rewriteRelativeImportExtensions: true, rootDir: 'src', outDir: 'dist' },
    ['src'],
  );
}

function serverPackage({ adopted }: Parts, fill: (text: string) => string): Record<string, string> {
  const operations = 'packages/server/src/operations';
  return {
    'packages/server/package.json': json({
      ...{ name: fill('@NAME/server'), version: '0.0.0', type: 'module', private: true },
    }),
    'packages/server/src/main.ts': `/** The program: the server, and the commands behind \`npm run keys\`. */
import { createService } from '@contract-first/service';
import { api } from './operations/api.ts';

await createService(api).run();
`,
    [`${operations}/api.ts`]: fill(`import { contract } from '@NAME/contract';
import type { ServiceParts } from '@contract-first/service';
import { operations } from './index.ts';
import { storeDefinition } from './storage/index.ts';
import type { STORE } from './storage/store.ts';
import { verify } from './verify.ts';

/** The parts of this API that \`createService\` needs. */
export const api = {
  contract,
  folder: new URL('../../../../', import.meta.url),
  operations,
  store: storeDefinition,
  verify,
  /** The call that \`npm start\` prints. */
  firstCalls: (apiUrl: string, secret: string) => [\`FIRSTCALL\`],
} satisfies Omit<ServiceParts<STORE, typeof contract>, 'main'>;
`).replace('FIRSTCALL', () => firstCall(adopted)),
    [`${operations}/verify.ts`]: fill(verifyFile(adopted)),
    [`${operations}/index.ts`]: `import type { Operations } from './operation.ts';

/** The operations that have code. The others answer the examples of the contract. */
export const operations: Operations = {};
`,
    [`${operations}/operation.ts`]: fill(`/** The types of operations, for this contract and store. */
import type { contract, ErrorCode, OperationId } from '@NAME/contract';
import * as service from '@contract-first/service';
import type { STORE } from './storage/store.ts';

type Contract = typeof contract;

export type Result<Id extends OperationId> = service.Result<Contract, Id>;
export type Call<Id extends OperationId> = service.Call<Contract, Id, STORE>;
export type Operation<Id extends OperationId> = service.Operation<Contract, Id, STORE>;
/** When every operation has code, remove \`Partial\`: a missing one then does not compile. */
export type Operations = Partial<service.Operations<Contract, STORE>>;

/** An error response with a code of this contract. */
export const ApiError: new <Code extends ErrorCode>(
  code: Code,
  message: string,
  options?: service.ApiErrorOptions,
) => service.ApiError<Code> = service.ApiError;
export type ApiError<Code extends ErrorCode = ErrorCode> = service.ApiError<Code>;
`),
    ...storageFiles(`${operations}/storage`, fill),
    ...Object.fromEntries(harnessFiles(adopted.document).map(([file, text]) => [`packages/server/test/${file}`, text])),
    'packages/server/test/every-operation.test.ts': `${everyOperation}${needsKeys(adopted.document) ? unknownKey : ''}`,
  };
}

/** How callers prove who they are, in Markdown. */
function credentialsInWords({ document }: Adopted): string {
  const schemes = Object.values(schemesOf(document));
  if (schemes.length === 0) return 'No operation needs a key.';
  const sent = schemes.map((scheme) => `* ${sentInWords(scheme, isKeyScheme(scheme))}\n`);
  return `Send what the operation asks for:\n\n${sent.join('')}\nA \`401\` says in \`WWW-Authenticate\` what is missing, and a \`403\` names the scopes that your credentials lack.`;
}

/** The command that `npm start` prints, with the secret as an expression of a template. */
function firstCall({ document }: Adopted): string {
  const all = operationsOf(document);
  const shown = all.find(({ method, path }) => method === 'GET' && !path.includes('{')) ?? all[0];
  const sent = shown && credentialOf(document, shown.operation);
  const option = sent === undefined ? '' : ` -H "${sent.name}: ${sent.prefix}\${secret}"`;
  return `curl${option} "\${apiUrl}${shown?.path ?? '/'}"`;
}

/** The functions that verify credentials, which a team writes. */
function verifyFile({ document }: Adopted): string {
  const entries = Object.entries(schemesOf(document)).filter(([, scheme]) => !isKeyScheme(scheme));
  const lines = entries.map(
    ([name]) => `  ${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: keysInTestMode,\n`,
  );
  const imported = entries.length === 0 ? 'type VerifyFunctions' : 'keysInTestMode, type VerifyFunctions';
  return `import type { contract } from '@NAME/contract';
import { ${imported} } from '@contract-first/service';

/**
 * Verifies the credentials of security schemes. A function gets the token and the scopes that the operation asks for, and returns
 * \`{ id, scopes }\`, or undefined if they are not valid. Schemes without a function take keys of the service (\`npm run keys\`). With
 * \`keysInTestMode\`, a test server takes keys as well, and a live server does not start.
 */
export const verify: VerifyFunctions<typeof contract> = {${lines.length === 0 ? '' : `\n${lines.join('')}`}};
`;
}

const everyOperation = `/** Calls every operation with the request of requests.json, and expects the status of its first successful response. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { api } from '../src/operations/api.ts';
import { type CallParts, type OperationId, startTestServer, type TestServer } from './harness.ts';

const requests: Record<OperationId, CallParts> = JSON.parse(
  readFileSync(new URL('requests.json', import.meta.url), 'utf8'),
);
const facts: Readonly<Record<string, { access: string; responses: object }>> = api.contract.operations;
const isOperation = (id: string): id is OperationId => Object.hasOwn(facts, id);
const ids = Object.keys(requests).filter(isOperation);
const withoutCode = ids.filter((id) => !Object.hasOwn(api.operations, id));
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test('every operation of the contract has a request', () => {
  expect(ids.toSorted()).toEqual(Object.keys(facts).toSorted());
});

for (const id of withoutCode) {
  test(\`\${id} has no code yet, and answers the example of the contract\`, async () => {
    const [status] = Object.keys(facts[id]?.responses ?? {}).map(Number);
    const response = await server.call(id, requests[id]);
    const problems = response.status === status ? [] : [response.text, server.log().match(/"message":".*?",/g)?.at(-1)];
    expect({ status: response.status, problems }).toEqual({ status, problems: [] });
    expect(response.headers.get('x-example-response')).toBe('true');
  });
}
`;

const unknownKey = `
test('an unknown key is refused', async () => {
  const [id] = ids.filter((one) => facts[one]?.access !== 'public');
  if (id !== undefined) expect((await server.call(id, { ...requests[id], key: 'unknown' })).status).toBe(401);
});
`;

function storageFiles(folder: string, fill: (text: string) => string): Record<string, string> {
  return {
    [`${folder}/index.ts`]: fill(`import type * as generic from '@contract-first/service/storage';
import { type MigrateOption, openStorageWith, type StoreDefinition } from '@contract-first/service/storage';
import { reader, writer } from './postgres.ts';
import { prepareStore } from './sqlite.ts';
import type { STORE } from './store.ts';

export type Storage = generic.Storage<STORE>;

export const storeDefinition: StoreDefinition<STORE> = {
  name: 'NAME',
  sqlite: { migrations: new URL('migrations/sqlite/', import.meta.url), prepare: prepareStore },
  postgres: { migrations: new URL('migrations/postgres/', import.meta.url), reader, writer },
};

export function openStorage(databaseUrl: string, option?: MigrateOption): Promise<Storage> {
  return openStorageWith(storeDefinition, databaseUrl, option);
}
`),
    [`${folder}/store.ts`]: fill(`/** What operations read from the database. */
export interface Reader {
  /** The number of notes, as an example of a method. Replace it by your own. */
  countNotes(): Promise<number>;
}

/** What operations write. */
export interface Writer extends Reader {
  addNote(text: string): Promise<void>;
}

export type STORE = { reader: Reader; writer: Writer };
`),
    [`${folder}/sqlite.ts`]: `import type { DatabaseSync } from 'node:sqlite';
import { integer, prepareAll, type Run } from '@contract-first/service/storage';
import type { Reader, Writer } from './store.ts';

export function prepareStore(database: DatabaseSync) {
  const { count, add } = prepareAll(database, {
    count: 'SELECT count(*) FROM notes',
    add: 'INSERT INTO notes (text) VALUES (?)',
  });

  const reader = (run: Run): Reader => ({
    countNotes: () => run(() => count.all().map((row) => integer(row[0]))[0] ?? 0),
  });
  const writer = (run: Run): Writer => ({
    ...reader(run),
    addNote: (text) => run(() => void add.run(text)),
  });
  return { reader, writer };
}
`,
    [`${folder}/postgres.ts`]: `import { integer, type Send, statements } from '@contract-first/service/storage';
import type { Reader, Writer } from './store.ts';

const sql = statements('store', {
  count: 'SELECT count(*) FROM notes',
  add: 'INSERT INTO notes (text) VALUES ($1)',
});

export function reader(send: Send): Reader {
  return {
    countNotes: async () => (await send(sql.count, [])).rows.map((row) => integer(row[0]))[0] ?? 0,
  };
}

export function writer(send: Send): Writer {
  return {
    ...reader(send),
    async addNote(text) {
      await send(sql.add, [text]);
    },
  };
}
`,
    [`${folder}/migrations/sqlite/0001-start.sql`]:
      'CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL) STRICT;\n',
    [`${folder}/migrations/postgres/0001-start.sql`]:
      'CREATE TABLE notes (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text NOT NULL);\n',
  };
}

const clientErrors = `import { type ApiError, type Caught, isKind, type Thrown } from '@contract-first/client';
import type { OperationErrors } from './generated/errors.ts';

/**
 * Whether the API refused a call.
 *
 * @param operation checks that it was a call of this operation, so that the error has its codes
 */
export function isApiError<Operation extends keyof OperationErrors, Given>(
  error: Caught<Given, Thrown<OperationErrors[Operation]>>,
  operation: Operation,
): error is Thrown<OperationErrors[Operation]>;
export function isApiError<Given>(error: Caught<Given, ApiError>): error is ApiError;
export function isApiError(error: unknown, operation?: string): boolean {
  return isKind(error, 'api', 'contractFirst', operation);
}
`;

const clientReadme = `# @NAME/client

The client of the API. Methods are grouped by the tags of the contract; your editor lists them.

\`\`\`ts
import { CREATE } from '@NAME/client';

const api = CREATE({ baseUrl: 'http://127.0.0.1:3000BASEPATH', apiKey: process.env.API_KEY ?? '' });
const { data } = await api.GET('HOMEPATH');
\`\`\`

A method takes one object with all parameters by their names, and \`body\`. It throws an \`ApiError\` with \`code\` and \`status\`; \`api.GET\`
and the others return \`{ data, error }\`. A method of a list returns one page if you \`await\` it, and the items of all pages in \`for await\`; so does
\`paginate(api, path)\`. \`@NAME/client/react\` has hooks, \`/queries\` the options of react-query, \`/mocks\` the API for MSW,
and \`/forms\` schemas of bodies and parameters.
`;

function clientPackage({ name, adopted }: Parts, fill: (text: string) => string): Record<string, string> {
  const paths = {
    [fill('@NAME/contract')]: ['../contract/src/index.ts'],
    [fill('@NAME/contract/types')]: ['../contract/src/index.ts'],
    [fill('@NAME/contract/*')]: ['../contract/src/generated/*.ts'],
  };
  const hasKeys = needsKeys(adopted.document);
  return {
    'packages/client/package.json': json({
      ...{ name: fill('@NAME/client'), version: '0.0.0', type: 'module', private: true },
      exports: {
        '.': './src/index.ts',
        ...Object.fromEntries(['queries', 'react', 'mocks'].map((entry) => [`./${entry}`, `./src/${entry}/index.ts`])),
        './forms': './src/generated/forms.ts',
      },
      scripts: { build: 'contract-first bundle client' },
      peerDependencies: { '@tanstack/react-query': '^5.80.0', msw: '^2.15.0 || ^3.0.0', react: '^18.0.0 || ^19.0.0' },
      peerDependenciesMeta: Object.fromEntries(
        ['@tanstack/react-query', 'msw', 'react'].map((library) => [library, { optional: true }]),
      ),
    }),
    'packages/client/README.md': fill(clientReadme)
      .replace(', apiKey: process.env.API_KEY', hasKeys ? '$&' : '')
      .replace('HOMEPATH', home(adopted)?.path ?? '/'),
    'packages/client/tsconfig.build.json': json(buildOptions(paths)),
    'packages/client/src/index.ts': `export { ApiError } from '@contract-first/client';
export { isApiError } from './errors.ts';
export type * from './generated/errors.ts';
export { create${pascal(name)} } from './${name}.ts';
export { paginate } from './paginate.ts';
`,
    'packages/client/src/errors.ts': clientErrors,
    'packages/client/src/paginate.ts':
      fill(`/** The lists of the API by their paths: \`for await (const item of paginate(api, path))\`. */
import { type Paginate, paginator } from '@contract-first/client';
import { paging } from '@NAME/contract/constants';
import type { paths } from '@NAME/contract/types';

export const paginate: Paginate<paths, typeof paging> = paginator<paths>()(paging);
`),
    [`packages/client/src/${name}.ts`]: fill(`/** The client of the API, with a method for each operation. */
import { type Client, createClient, type ResponseValidator, withForm } from '@contract-first/client';
OPTIONSIMPORT
import { contractVersion as version, CONSTANTS } from '@NAME/contract/constants';
import type { paths } from '@NAME/contract/types';
import type { OperationErrors } from './generated/errors.ts';
import { type NamedMethods, namedMethods } from './generated/operations.ts';
import type { PathMethods } from './generated/paths.ts';

export type ApiClient = Client<paths, OperationErrors, PathMethods>;
export type Caller = Pick<ApiClient, 'request'>;

const facts = { name: 'NAME', version, CONSTANTS, validate: validator(), withForm };

export type Options = OPTIONSTYPE;

/** @param options \`apiKey\` is what the API asks for: a token, a key, or a username and a password */
export function CREATE(options: Options): ApiClient & NamedMethods {
  const client: ApiClient = createClient<paths, OperationErrors, PathMethods>(GIVEN);
  return Object.assign(client, namedMethods(client));
}

declare const process: { env: { NODE_ENV?: string } };

/** Checks responses in development and tests. Bundlers that set NODE_ENV to production leave the schemas out. */
function validator(): ResponseValidator | undefined {
  try {
    if (process.env.NODE_ENV === 'development' || process.env.NODE_ENV === 'test') {
      return async (response) => (await import('./validate.ts')).validateResponse(response);
    }
  } catch {
    // Browsers have no process without a bundler.
  }
  return undefined;
}
`)
      .replaceAll('CONSTANTS', `${hasKeys ? 'credentials, operations, ' : ''}idempotentOperations, requestMediaTypes`)
      .replace(
        'OPTIONSIMPORT',
        hasKeys
          ? "import { type CredentialOptions, withCredentials } from '@contract-first/client/credentials';"
          : "import type { ClientOptions } from '@contract-first/client';",
      )
      .replace('OPTIONSTYPE', hasKeys ? 'CredentialOptions<typeof facts>' : "Omit<ClientOptions, 'apiKey'>")
      .replace('GIVEN', hasKeys ? '...withCredentials(facts, options)' : 'facts, { ...options, apiKey: null }')
      .replace(/\/\*\* @param options .*\n/, hasKeys ? '$&' : ''),
    'packages/client/src/validate.ts': fill(`/** Compares responses with the contract. */
import { createResponseValidator } from '@contract-first/client/validate';
import * as responses from '@NAME/contract/responses';

export const validateResponse = createResponseValidator(responses);
`),
    'packages/client/src/react/index.ts': `/** Hooks for React. */
export { invalidate, useRateLimit } from '@contract-first/client/react';
`,
    'packages/client/src/mocks/index.ts':
      fill(`/** The API, mocked for MSW: every operation returns the example of the contract. */
import { createMocks, type MockOptions } from '@contract-first/client/mocks';
import type { OperationTypes } from '@NAME/contract';
import * as constants from '@NAME/contract/constants';
import { type ReplyExamples, replyExamples } from '@NAME/contract/examples';
import * as requests from '@NAME/contract/requests';

export * from '../generated/factories.ts';

export function mocks(options: MockOptions) {
  const contract = { ...constants, ...requests, replyExamples };
  const store = { data: [], resolvers: {}, refresh: () => {}, reset: () => {} };
  return createMocks<ReplyExamples, OperationTypes, readonly never[]>(contract, options, store);
}
`),
    'packages/client/src/queries/index.ts': `/** The options of react-query for each operation: \`namedQueries(api)\`. */
export { namedMutations, namedQueries } from '../generated/queries.ts';
`,
  };
}
