import { type ContractDocument, needsKeys } from '../contract/document.ts';
import { type Bundle, currentContract } from '../effective/bundle.ts';
import { absoluteServers } from '../generate/constants.ts';
import { project } from '../project.ts';
import { planRelease } from '../release/plan.ts';
import { readChangelog } from './changelog/changelog.ts';
import { changelogPage } from './changelog/changelog-page.ts';
import { clientReference } from './guides/client-pages.ts';
import { guidesFolder, readGuides } from './guides/read-guides.ts';
import { brokenDeprecations, brokenLinks } from './links/check-links.ts';
import { withMarkdownLinks } from './links/markdown-links.ts';
import { machineFiles } from './machines/machine-files.ts';
import { operationFiles } from './operations/operation-files.ts';
import { errorsPage } from './pages/errors-page.ts';
import { guidePages } from './pages/guide-pages.ts';
import { homePage } from './pages/home-page.ts';
import { anchoredAt, getKeyPage, notFoundPage } from './pages/other-pages.ts';
import { redocPage } from './redoc.ts';
import { shownServerOf, testServerOf } from './samples/request.ts';
import type { ClientPackage } from './sdk/client-package.ts';
import { searchEntries, searchIndex } from './search/build-index.ts';
import { assets } from './shell/assets.ts';
import type { SiteFile } from './site-file.ts';

/**
 * Every file of the docs, made from the bundled contract, docs/guides/ and CHANGELOG.md.
 * @param client the docs offer it for download
 * @throws Error that names each problem that would mislead a reader, such as a broken link or a wrong fact
 */
export async function buildSite(
  { json }: Pick<Bundle, 'json'>,
  folder = guidesFolder,
  client?: ClientPackage,
): Promise<SiteFile[]> {
  const document: ContractDocument = JSON.parse(json);
  const contract = withShownServer(document);
  const guides = [...readGuides(contract, folder, client), clientReference(contract, client)];
  const changelog = readChangelog(await planRelease(new Date(), currentContract({ document })));
  const [changelogHtml, changelogMarkdown] = changelogPage(changelog);
  const pages = [
    homePage(contract, guides, client),
    ...guidePages(guides, contract),
    ...operationFiles(contract),
    ...errorsPage(contract),
    redocPage({ json }),
    changelogHtml,
    changelogMarkdown,
    notFoundPage(),
    ...(needsKeys(contract) ? [getKeyPage(contract)] : []),
  ];
  const files = withMarkdownLinks([
    ...assets(),
    ...pages,
    ...(client?.files ?? []),
    searchIndex(searchEntries(contract, guides, changelog)),
    // Servers of the API return more. On a static host, this file prevents errors in the pages.
    { path: 'site.json', content: '{}' },
    ...machineFiles({ json }, guides),
  ]);
  const broken = [...brokenLinks(files), ...brokenDeprecations(files, contract)];
  // Its descriptions may link to the pages of another site.
  const foreign = project.completes ? broken.filter((link) => !link.startsWith('guides/')) : [];
  for (const link of foreign) console.warn(`Warning: ${link}`);
  const wrong = broken.filter((link) => !foreign.includes(link));
  if (wrong.length > 0) throw new Error(`The docs have broken links:\n${wrong.join('\n')}`);
  // The server sends the page for unknown URLs at any depth.
  const served = files.map((file) => (file.path === '404.html' ? anchoredAt('/docs/', file) : file));
  return served;
}

/** The examples of the contract come from production. In the docs, they come from the server that the samples call. */
function withShownServer(contract: ContractDocument): ContractDocument {
  const servers = absoluteServers(contract);
  const [from, to] = [servers[0]?.url, shownServerOf({ servers })].map((url) => new URL(url ?? '').origin);
  return { ...JSON.parse(JSON.stringify({ ...contract, servers: [] }).replaceAll(String(from), String(to))), servers };
}

/** The origin in the docs on a static host: that of the test server. */
export function staticOrigin({ json }: Pick<Bundle, 'json'>): string {
  return new URL(testServerOf({ servers: absoluteServers(JSON.parse(json)) })).origin;
}
