import { hash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redoclyManifest, runRedocly } from '../../common/redocly.ts';
import { readIfThere, writeChanged } from '../../common/write-changed.ts';
import { root } from '../../project.ts';

/** Redoc's output for a contract: elements for the head and the body of a page, with scripts and styles. */
type RenderedReference = { head: string; body: string };

const template = join(import.meta.dirname, 'template.hbs');

/**
 * Renders a contract (JSON) with Redoc, using Redocly's settings (YAML). The result is cached, because most saves change
 * something else, and the contract of a release never changes.
 * @throws Error with Redocly's message
 */
export function renderReference(contract: string, settings: string): RenderedReference {
  const html = cached([contract, settings, readFileSync(template, 'utf8')], () => runBuildDocs(contract, settings));
  const [, head, body] = /^<!--head-->([\s\S]*)<!--body-->([\s\S]*)<!--end-->\s*$/.exec(html) ?? [];
  if (head === undefined || body === undefined) throw new Error('Redocly did not build the page from template.hbs.');
  return { head, body: adaptations.reduce(adapted, body) };
}

function runBuildDocs(contract: string, settings: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'docs-'));
  try {
    const source = join(folder, 'openapi.json');
    const configuration = join(folder, 'redocly.yaml');
    const output = join(folder, 'index.html');
    writeFileSync(source, contract);
    writeFileSync(configuration, settings);
    const options = ['--inlineBundle', '--config', configuration, '-t', template];
    const { exitCode, stdout, stderr } = runRedocly('build-docs', source, '-o', output, ...options);
    if (exitCode !== 0) throw new Error(`Redocly could not build the page:\n${stdout}${stderr}`);
    return readFileSync(output, 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Changes to Redoc's HTML: what to replace, with what, and why. */
const adaptations: [expected: RegExp, replacement: string, reason: string][] = [
  [
    /href="\/(?=[^"]*" data-discover="true")/g,
    'href="#/',
    'It prerenders links between its sections as paths of the server; in this page, they are fragments.',
  ],
  [
    /https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(?:-full)?\.svg/g,
    'data:,',
    'It would load the picture of "API docs by Redocly" from Redocly\'s server, so the page shows none.',
  ],
  [
    /\{return (\w+)\.active\|\|\1\.hasActiveSubItem\|\|/,
    '{return $1.type==="group"||$1.active||$1.hasActiveSubItem||',
    'It folds the groups of its menu, and has no setting for that. Readers should see every operation at once.',
  ],
  [
    /"aria-label":`Example`,options:/,
    'options:',
    'It labels every choice of examples "Example", so users of a screen reader would not know which one is selected.',
  ],
];

function adapted(html: string, [expected, replacement, reason]: (typeof adaptations)[number]): string {
  if (html.search(expected) < 0)
    throw new Error(`Redoc has changed: its page has no ${expected}. Adapt or remove this change: ${reason}`);
  return html.replace(expected, replacement);
}

const folder = join(root, 'node_modules/.cache/docs');
/** The most results to keep: more than the number of releases and the saves of a few hours. A page has 3 MB. */
const MAX_ENTRIES = 30;

/** The cached result for these inputs and this version of Redocly, or a new one. The cache persists between runs. */
function cached(inputs: readonly string[], make: () => string): string {
  const file = join(folder, `${hash('sha256', [redoclyVersion(), ...inputs].join('\0'), 'hex')}.html`);
  const known = readIfThere(file);
  if (known !== undefined) {
    utimesSync(file, new Date(), new Date());
    return known;
  }
  const made = make();
  mkdirSync(folder, { recursive: true });
  writeChanged(file, made);
  removeOldest();
  return made;
}

function redoclyVersion(): string {
  return readFileSync(redoclyManifest, 'utf8');
}

function removeOldest(): void {
  const files = readdirSync(folder).map((name) => join(folder, name));
  const usedAt = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const newestFirst = files.map((file) => ({ file, at: usedAt(file) })).sort((one, other) => other.at - one.at);
  for (const { file } of newestFirst.slice(MAX_ENTRIES)) rmSync(file, { force: true });
}
