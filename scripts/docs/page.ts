import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bundle, bundleContract } from '../generate/bundle.ts';
import { runRedocly } from '../redocly.ts';
import { contentSecurityPolicy } from './content-security-policy.ts';
import { forReaders, type ReadableContract } from './reader-document.ts';
import { currentVersion, type DocsVersion, withVersions } from './versions.ts';

export type DocsPage = {
  html: string;
  /** The policy of the page's meta element, and what only a header can say: for the server that delivers the page. */
  contentSecurityPolicy: string;
};

const template = join(import.meta.dirname, 'template.hbs');

/** The reference page of the contract: one file that needs nothing from any server. Throws with Redocly's message. */
export function docsPage(
  { json }: Pick<Bundle, 'json'> = bundleContract(),
  version: DocsVersion = currentVersion(),
): DocsPage {
  const contract: ReadableContract = JSON.parse(json);
  const html = withLinksInPage(withoutRemoteLogo(render(withVersions(forReaders(contract), version), version)));
  const policy = contentSecurityPolicy(html);
  // A function, as a policy in a string could be taken for a pattern like $&.
  return {
    html: html.replace('%CONTENT_SECURITY_POLICY%', () => policy),
    contentSecurityPolicy: `${policy}; frame-ancestors 'none'`,
  };
}

function render(contract: ReadableContract, { configuration, contractAddress }: DocsVersion): string {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-docs-'));
  try {
    const source = join(folder, 'openapi.json');
    const settings = join(folder, 'redocly.yaml');
    const output = join(folder, 'index.html');
    writeFileSync(source, JSON.stringify(contract));
    writeFileSync(settings, configuration);
    const title = ['--title', `${contract.info.title} API reference`];
    const description = ['--templateOptions.description', contract.info.summary];
    const address = ['--templateOptions.contract', contractAddress];
    const options = ['--inlineBundle', '--config', settings, '-t', template, ...title, ...description, ...address];
    const { exitCode, stdout, stderr } = runRedocly('build-docs', source, '-o', output, ...options);
    if (exitCode !== 0) throw new Error(`Redocly could not build the page:\n${stdout}${stderr}`);
    return readFileSync(output, 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Redoc fetches the picture of "API docs by Redocly" from its maker. The page brings the word along instead. */
function withoutRemoteLogo(html: string): string {
  const remote = /https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(?:-full)?\.svg/g;
  if (!remote.test(html)) throw new Error('Redoc has no remote logo any more: remove withoutRemoteLogo.');
  return html.replaceAll(remote, logo);
}

/** Redoc prerenders links between its sections as paths of the server; in this page, they are fragments. */
function withLinksInPage(html: string): string {
  const sectionLink = /href="\/(?=[^"]*" data-discover="true")/g;
  if (!sectionLink.test(html)) throw new Error('Redoc has no links that are paths any more: remove withLinksInPage.');
  return html.replaceAll(sectionLink, 'href="#/');
}

const logo =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 48 12' width='48' height='12'%3E" +
  "%3Ctext y='10' font-family='sans-serif' font-size='10' fill='%23777'%3ERedocly%3C/text%3E%3C/svg%3E";
