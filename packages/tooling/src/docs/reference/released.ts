import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { releasedVersions, releaseFile, releasesFolder } from '../../diff/releases.ts';
import type { SiteFile } from '../site-file.ts';
import { referencePage } from './reference-page.ts';
import { releasedVersion } from './versions.ts';

/** The reference of each released contract, and the contract itself, in a folder with the release's number. */
export function releasedReferences(folder = releasesFolder): SiteFile[] {
  return releasedVersions(folder).flatMap((version) => {
    const yaml = readFileSync(releaseFile(version, folder), 'utf8');
    return [
      ...referencePage(parse(yaml), releasedVersion(version)),
      { path: `${version}/openapi.yaml`, content: yaml },
    ];
  });
}
