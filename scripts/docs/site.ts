import { releasedVersions } from '../diff/releases.ts';
import type { Bundle } from '../generate/bundle.ts';
import { readChangelog } from './changelog/changelog.ts';
import { changelogPage } from './changelog/changelog-page.ts';
import { consoleFiles } from './console/console-files.ts';
import { withConsoleLinks } from './console/with-console-links.ts';
import { guidesFolder, readGuides } from './guides/read-guides.ts';
import { brokenLinks } from './links/check-links.ts';
import { machineFiles } from './machines/machine-files.ts';
import { guidePages } from './pages/guide-pages.ts';
import { homePage } from './pages/home-page.ts';
import type { ReferenceContract } from './reader-document.ts';
import { referencePage } from './reference/reference-page.ts';
import { releasedReferences } from './reference/released.ts';
import { currentVersion } from './reference/versions.ts';
import { searchIndex } from './search/build-index.ts';
import { assets } from './shell/assets.ts';
import type { SiteFile } from './site-file.ts';

/**
 * Every file of the docs, made from the bundled contract, docs/guides/ and CHANGELOG.md.
 * @throws Error that names each thing that would mislead a reader: a link that leads nowhere, a fact that is none
 */
export async function buildSite({ json }: Pick<Bundle, 'json'>, folder = guidesFolder): Promise<SiteFile[]> {
  const contract: ReferenceContract = JSON.parse(json);
  const guides = readGuides(contract, folder);
  const changelog = await readChangelog();
  const current = currentVersion(releasedVersions());
  const files = [
    ...assets(),
    homePage(contract, guides),
    ...guidePages(guides),
    ...referencePage(withConsoleLinks(contract, current.path), current),
    ...releasedReferences(),
    ...changelogPage(changelog),
    searchIndex(contract, guides, changelog),
    ...consoleFiles(contract),
    ...machineFiles({ json }, guides),
  ];
  const broken = brokenLinks(files, contract);
  if (broken.length > 0) throw new Error(`The docs have broken links:\n${broken.join('\n')}`);
  // Versions of the reference share their scripts.
  return [...new Map(files.map((file) => [file.path, file])).values()];
}
