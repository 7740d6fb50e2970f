import { type ContractDocument, needsKeys } from '../contract/document.ts';
import { releasedVersions } from '../diff/releases.ts';
import type { Bundle } from '../effective/bundle.ts';
import { absoluteServers } from '../generate/constants.ts';
import { project } from '../project.ts';
import { planRelease } from '../release/plan.ts';
import { readChangelog } from './changelog/changelog.ts';
import { changelogPage, changesPages, contractSteps } from './changelog/changes-pages.ts';
import { changelogFeed } from './changelog/feed.ts';
import { collections } from './collections/collections.ts';
import { clientPages } from './guides/client-pages.ts';
import type { Guide } from './guides/read-guides.ts';
import { guidesFolder, readGuides } from './guides/read-guides.ts';
import { brokenDeprecations, brokenLinks } from './links/check-links.ts';
import { withMarkdownLinks } from './links/markdown-links.ts';
import { llmsFullText, machineFiles, sitemap } from './machines/machine-files.ts';
import { operationFiles, referenceMarkdown } from './operations/operation-files.ts';
import { transcriptSamples } from './operations/transcript-form.ts';
import { errorsPage } from './pages/errors-page.ts';
import { guidePages } from './pages/guide-pages.ts';
import { homePage } from './pages/home-page.ts';
import { anchoredAt, consolePage, getKeyPage, notFoundPage } from './pages/other-pages.ts';
import { onePageReference } from './reference/one-page.ts';
import { currentReference, releasedReferences } from './reference/reference-page.ts';
import { shownServerOf, testServerOf } from './samples/request.ts';
import type { ClientPackage } from './sdk/client-package.ts';
import { searchEntries, searchIndex } from './search/build-index.ts';
import { assets } from './shell/assets.ts';
import type { SiteFile } from './site-file.ts';
import { workflowGuides } from './workflows/guides.ts';

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
  const contract = withShownServer(JSON.parse(json));
  const written = [...readGuides(contract, folder, client), ...clientPages(contract, client)];
  const stories = workflowsAsGuides(contract);
  const guides = [...written, ...stories];
  const plan = await planRelease(new Date());
  const steps = await contractSteps(plan);
  const changelog = readChangelog(plan, steps);
  const reference = referenceMarkdown(contract);
  const errors = errorsPage(contract);
  const [changelogHtml, changelogMarkdown] = changelogPage(changelog);
  const pages = [
    homePage(contract, guides, client),
    ...guidePages(guides, contract),
    ...operationFiles(contract),
    reference,
    ...errors,
    onePageReference(contract, releasedVersions()),
    ...currentReference(contract),
    ...releasedReferences(),
    changelogHtml,
    changelogMarkdown,
    ...changesPages(steps),
    consolePage(),
    notFoundPage(),
    ...(needsKeys(contract) ? [getKeyPage(contract)] : []),
  ];
  const files = withMarkdownLinks([
    ...assets(),
    ...pages,
    changelogFeed(contract, changelog),
    ...collections(contract),
    ...(client?.files ?? []),
    ...(guides.some(({ transcript }) => transcript !== undefined) ? [transcriptSamples(contract)] : []),
    searchIndex(searchEntries(contract, [...written, ...stories.map(beginning)], changelog)),
    // Servers of the API return more. On a static host, this file prevents errors in the pages.
    { path: 'site.json', content: '{}' },
    ...machineFiles({ json }, guides),
    llmsFullText(contract, guides, [reference, ...errors.slice(1), changelogMarkdown]),
    sitemap(contract, pages),
  ]);
  const broken = [...brokenLinks(files), ...brokenDeprecations(files, contract)];
  // Its descriptions may link to the pages of another site.
  const foreign = project.completes ? broken.filter((link) => !link.startsWith('guides/')) : [];
  for (const link of foreign) console.warn(`Warning: ${link}`);
  const wrong = broken.filter((link) => !foreign.includes(link));
  if (wrong.length > 0) throw new Error(`The docs have broken links:\n${wrong.join('\n')}`);
  // Versions of the reference share their scripts. The server sends the page for unknown URLs at any depth.
  const served = files.map((file) => (file.path === '404.html' ? anchoredAt('/docs/', file) : file));
  return [...new Map(served.map((file) => [file.path, file])).values()];
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

function workflowsAsGuides(contract: ContractDocument): Guide[] {
  return workflowGuides(contract).map(({ summary, ...guide }) => ({
    ...guide,
    description: summary,
    group: 'Step by step',
  }));
}

/** The search finds only the beginning of a workflow, because its steps make sense only in order. */
function beginning(story: Guide): Guide {
  return { ...story, markdown: story.markdown.replace(/\n## .*/s, '\n') };
}
