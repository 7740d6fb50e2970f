import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runRedocly } from '../../common/redocly.ts';
import { cached } from './render-cache.ts';

/** Redoc's output for a contract: elements for the head and the body of a page, with scripts and styles. */
export type RenderedReference = { head: string; body: string };

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
  return { head, body: withReadExamples(withOpenGroups(withoutRemoteLogo(withLinksInPage(body)))) };
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

/** Redoc would load the picture of "API docs by Redocly" from Redocly's server, so the page shows none. */
function withoutRemoteLogo(html: string): string {
  const remote = /https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(?:-full)?\.svg/g;
  if (!remote.test(html)) throw new Error('Redoc no longer loads a remote logo. Remove withoutRemoteLogo.');
  return html.replaceAll(remote, 'data:,');
}

/** Redoc prerenders links between its sections as paths of the server; in this page, they are fragments. */
function withLinksInPage(html: string): string {
  const sectionLink = /href="\/(?=[^"]*" data-discover="true")/g;
  if (!sectionLink.test(html)) throw new Error('Redoc no longer prerenders links as paths. Remove withLinksInPage.');
  return html.replaceAll(sectionLink, 'href="#/');
}

/** Redoc folds the groups of its menu, and has no setting for that. Readers should see every operation at once. */
function withOpenGroups(html: string): string {
  const isOpen = /\{return (\w+)\.active\|\|\1\.hasActiveSubItem\|\|/;
  if (!isOpen.test(html)) throw new Error('Redoc folds the groups of its menu in another way. Adapt withOpenGroups.');
  return html.replace(
    isOpen,
    (_whole, item: string) => `{return ${item}.type==="group"||${item}.active||${item}.hasActiveSubItem||`,
  );
}

/** Redoc labels every choice of examples "Example", so users of a screen reader would not know which one is selected. */
function withReadExamples(html: string): string {
  const label = '"aria-label":`Example`,options:';
  if (!html.includes(label))
    throw new Error('Redoc labels the choice of examples in another way. Adapt withReadExamples.');
  return html.replace(label, 'options:');
}
