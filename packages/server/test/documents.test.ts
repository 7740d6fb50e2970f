import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { limits } from '@animal-store/contract';
import { describe, expect, test } from '@jest/globals';
import { type Config, readConfig } from '../../service/src/config/config.ts';
import { timeoutsFor } from '../../service/src/http/server.ts';
import { concurrency } from '../../service/src/rate-limit/concurrency.ts';
import { root } from '../../tooling/src/project.ts';
import { storeDefinition } from '../src/operations/storage/index.ts';
import { contract } from './contract.ts';
import { settingNames } from './process.ts';

const configuration = readFileSync(join(root, 'docs/operate/configuration.md'), 'utf8');
const settings = new Map(
  [...configuration.matchAll(/^\| `([A-Z_]+)` \| (.*?) \|/gm)].map(([, name, value]) => [name, value]),
);

test('docs/operate/configuration.md lists exactly the settings that are read', () => {
  expect(settingNames.size).toBeGreaterThan(5);
  expect(new Set(settings.keys())).toEqual(settingNames);
});

test('only entry points of the service read the environment', () => {
  const sources = globSync('packages/service/src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] });
  const reading = sources.filter((file) =>
    /process\.env|from 'node:process'/.test(readFileSync(join(root, file), 'utf8')),
  );
  const programs = ['run-server', 'service', 'cli/command', 'cli/keys', 'cli/move'];
  expect(new Set(reading)).toEqual(new Set(programs.map((name) => `packages/service/src/${name}.ts`)));
});

const read = (environment: Record<string, string>) => readConfig(environment, storeDefinition.name);

describe('docs/operate/configuration.md states the default of', () => {
  /** Other settings that a setting needs to have an effect. */
  const requiredSettings: Record<string, Record<string, string>> = {
    METRICS_HOST: { METRICS_PORT: '1' },
    OTEL_SERVICE_NAME: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' },
  };
  /** Settings without a default, with the words that the docs use for that. */
  const none: Record<string, (config: Config) => unknown> = {
    REDIS_URL: ({ redisUrl }) => redisUrl,
    METRICS_PORT: ({ metrics }) => metrics,
    PUBLIC_URL: ({ publicUrl }) => publicUrl,
    OTEL_EXPORTER_OTLP_ENDPOINT: ({ telemetry }) => telemetry,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ({ telemetry }) => telemetry,
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: ({ telemetry }) => telemetry,
  };

  test.each([...settings])('%s: %s', (name = '', stated = '') => {
    const absent = none[name];
    if (absent !== undefined) {
      expect(stated).toMatch(/^off$|^from the `Host` header$/);
      expect(absent(read({}))).toBeUndefined();
      return;
    }
    const [usual = '', inProduction = usual] = stated.replaceAll('`', '').split(', ');
    const others = requiredSettings[name] ?? {};
    expect(read({ ...others, [name]: usual })).toEqual(read(others));
    const production = { DATABASE_URL: 'sqlite:data/animal-store.db', ...others, NODE_ENV: 'production' };
    const environment = { [name]: inProduction.replace(' in production', '') };
    if (name !== 'NODE_ENV') expect(read({ ...production, ...environment })).toEqual(read(production));
  });
});

test('docs/operate/runbook.md states the timeouts of the server', () => {
  const operate = readFileSync(join(root, 'docs/operate/runbook.md'), 'utf8');
  expect(operate).toContain(`| the time until the headers have arrived | ${timeoutsFor(contract).headers / 1_000} s |`);
  expect(operate).toContain(
    `| the time until the request has arrived | ${timeoutsFor(contract).request / 1_000} s, and`,
  );
  expect(operate).toContain(
    `| the time in which a caller reads a response, from its headers on | ${timeoutsFor(contract).response / 1_000} s |`,
  );
});

test('the descriptions in the contract state the same limit of idempotency as its numbers', () => {
  const contract = readFileSync(join(root, 'openapi.yaml'), 'utf8');
  expect(contract).toContain(`For ${limits.idempotencySeconds / 3_600} hours,`);
});

/** Guides are left out: they link to built pages, and the build of the docs checks these links. */
const texts = globSync(['*.md', 'docs/**/*.md'], { cwd: root, exclude: ['docs/guides/**'] });

/** Every file of the project, with a leading slash. */
const files = globSync('{packages,scripts,bench,docs,deploy,examples,patches,releases,schemas}/**/*.*', {
  cwd: root,
  exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path),
}).map((file) => `/${file.replaceAll('\\', '/')}`);
/** Paths that exist only after a command has run, and a placeholder. */
const notInTheProject = /^(data|dist)\/|^releases\/(openapi-1\.x\.y\.yaml|notes-1\.x\.y\.md)$/;

test.each(texts)('every file that %s links to or names exists', (text) => {
  const content = readFileSync(join(root, text), 'utf8');
  const links = [...content.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) =>
    join(root, dirname(text), link),
  );
  // A folder such as `a/b/`, or a file such as `a/b.ts`, which a text may name by the end of its path only.
  const named = [...content.matchAll(/`((?:\w[\w.-]*\/)+(?:[\w.-]+\.(?:tsx?|m?js|sql|lua|ya?ml|json|md|sh))?)`/g)]
    .map(([, name = '']) => name)
    .filter((name) => !notInTheProject.test(name));
  const missing = [
    ...links.filter((link) => !existsSync(link)),
    ...named.filter(
      (name) => !files.some((file) => (name.endsWith('/') ? file.includes(`/${name}`) : file.endsWith(`/${name}`))),
    ),
  ];
  expect(missing).toEqual([]);
});

/** The URL fragments of the headings of a text, as on GitHub. */
function fragmentsOf(file: string): Set<string> {
  const headings = readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm);
  const fragment = (title: string) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
  return new Set([...headings].map(([, title = '']) => fragment(title)));
}

test.each(texts)('every heading that %s links to exists', (text) => {
  const links = readFileSync(join(root, text), 'utf8').matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g);
  const missing = [...links].filter(([, file = '', fragment = '']) => {
    const target = file === '' ? join(root, text) : join(root, dirname(text), file);
    return target.endsWith('.md') && !fragmentsOf(target).has(fragment);
  });
  expect(missing.map(([link]) => link)).toEqual([]);
});

/** Tests that a text names as evidence, such as `a/b.test.ts`: “does this”, “does that”. */
const promises = texts.flatMap((text) => {
  const content = readFileSync(join(root, text), 'utf8');
  return [...content.matchAll(/`([\w./-]+\.ts)`: (“[^”]+”(?:, “[^”]+”)*)/g)].flatMap(([, file = '', names = '']) =>
    [...names.matchAll(/“([^”]+)”/g)].map(([, name = '']) => ({ text, file, name })),
  );
});

test('texts name tests as evidence for their promises', () => {
  expect(promises.length).toBeGreaterThan(10);
});

test.each(promises)('$text names a test of $file: $name', ({ file, name }) => {
  expect({ name, isTested: hasTest(join(root, file), name) }).toEqual({ name, isTested: true });
});

const page = readFileSync(join(root, 'docs/reliability.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| promise'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

/** The test files that Jest runs. */
const [, pattern = ''] =
  /testMatch: \['<rootDir>\/([^']+)'\]/.exec(readFileSync(join(root, 'jest.config.js'), 'utf8')) ?? [];
const found = globSync(pattern, { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path) });
const testFiles = new Set(found.map((file) => join(root, file)));

function find(file: string): string {
  return (
    [join(root, 'packages/server'), join(root, 'packages/service'), root]
      .map((folder) => join(folder, file))
      .find(existsSync) ?? `no ${file}`
  );
}

test('docs/reliability.md has rows of four cells', () => {
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter((cells) => cells.length !== 6)).toEqual([]);
});

test('CI runs all test files', () => {
  expect(readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8')).toMatch(/^ +- run: \.ci\/run$/m);
  expect(readFileSync(join(root, '.ci/run'), 'utf8')).toMatch(/^NOTHING_LEFT_OUT=1 npm test$/m);
});

test.each(rows.map(([, promise = '', , named = '', code = '']) => ({ promise, named, code })))(
  '$promise: its test runs, and the code that it protects exists',
  ({ named, code }) => {
    const [, file = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(named) ?? [];
    const path = find(file);
    expect({ path, isRun: testFiles.has(path) }).toEqual({ path, isRun: true });
    expect({ title, isTested: hasTest(path, title) }).toEqual({ title, isTested: true });
    expect(existsSync(find(/^`([^`]+)`$/.exec(code)?.[1] ?? ''))).toBe(true);
  },
);

test('docs/reliability.md states the limits of the server', () => {
  expect(page).toContain(`| ${concurrency.perKey} operations, then 503`);
  expect(page).toContain(`| ${concurrency.writes} writes, ${concurrency.total.toLocaleString('en')} reads |`);
});

/** Whether a file has the title of a test or a block of tests as a string that is not a comment, before or after its `each`. */
export function hasTest(file: string, title: string): boolean {
  const code = readFileSync(file, 'utf8').replaceAll(/^ *(?:\/\/|\/?\*).*$/gm, '');
  return ["'", '"', '`'].some((quote) => code.includes(`${quote}${title}${quote}`));
}
