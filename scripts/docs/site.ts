import { releasedVersions } from '../diff/releases.ts';
import type { Bundle } from '../generate/bundle.ts';
import { readChangelog } from './changelog/changelog.ts';
import { changelogPage } from './changelog/changelog-page.ts';
import type { Guide } from './guides/guide.ts';
import { guidesFolder, readGuides } from './guides/read-guides.ts';
import { brokenDeprecations, brokenLinks } from './links/check-links.ts';
import { machineFiles } from './machines/machine-files.ts';
import { operationFiles, referenceMarkdown } from './operations/operation-files.ts';
import { errorsPage } from './pages/errors-page.ts';
import { guidePages } from './pages/guide-pages.ts';
import { homePage } from './pages/home-page.ts';
import { anchoredAt, consolePage, notFoundPage } from './pages/other-pages.ts';
import type { ReferenceContract } from './reader-document.ts';
import { referencePage } from './reference/reference-page.ts';
import { releasedReferences } from './reference/released.ts';
import { currentVersion } from './reference/versions.ts';
import { searchIndex } from './search/build-index.ts';
import { assets } from './shell/assets.ts';
import type { SiteFile } from './site-file.ts';
import { workflowGuides } from './workflows/guides.ts';

/**
 * Every file of the docs, made from the bundled contract, docs/guides/ and CHANGELOG.md.
 * @throws Error that names each thing that would mislead a reader: a link that leads nowhere, a fact that is none
 */
export async function buildSite({ json }: Pick<Bundle, 'json'>, folder = guidesFolder): Promise<SiteFile[]> {
  const contract: ReferenceContract = JSON.parse(json);
  const written = readGuides(contract, folder);
  const stories = workflowsAsGuides(contract);
  const guides = [...written, ...stories];
  const changelog = await readChangelog();
  const current = currentVersion(releasedVersions());
  const files = [
    ...assets(),
    homePage(contract, guides),
    ...guidePages(guides, contract.servers[0]?.url),
    ...operationFiles(contract),
    referenceMarkdown(contract),
    ...errorsPage(contract),
    ...referencePage(contract, current),
    ...releasedReferences(),
    ...changelogPage(changelog),
    searchIndex(contract, [...written, ...stories.map(beginning)], changelog),
    consolePage(),
    notFoundPage(),
    // Servers of the API say more; on a static host the pages need no error for it.
    { path: 'site.json', content: '{}' },
    ...machineFiles({ json }, guides),
  ];
  const broken = [...brokenLinks(files), ...brokenDeprecations(files, contract)];
  if (broken.length > 0) throw new Error(`The docs have broken links:\n${broken.join('\n')}`);
  // Versions of the reference share their scripts. The server sends the page for unknown URLs at any depth.
  const served = files.map((file) => (file.path === '404.html' ? anchoredAt('/docs/', file) : file));
  return [...new Map(served.map((file) => [file.path, file])).values()];
}

function workflowsAsGuides(contract: ReferenceContract): Guide[] {
  return workflowGuides(contract).map(({ summary, ...guide }) => ({
    ...guide,
    description: summary,
    group: 'Step by step',
  }));
}

/** A search leads to where a story begins: its steps make sense in their order only. */
function beginning(story: Guide): Guide {
  return { ...story, markdown: story.markdown.replace(/\n## .*/s, '\n') };
}
