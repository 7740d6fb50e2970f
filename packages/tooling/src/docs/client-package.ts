import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { withTemporaryFolder } from '../common/files.ts';
import { packVersion, sourceState } from '../release/pack-version.ts';
import { packPackages } from '../release/packages.ts';
import type { SiteFile } from './write-site.ts';

/** Packs the client as a file of the docs, from whose URL npm installs it: `client/tree-nursery-client-1.0.0.tgz`. */
export function clientPackage(): SiteFile {
  return withTemporaryFolder((folder) => {
    const [packed] = packPackages(['client'], folder, packVersion(sourceState()));
    if (packed === undefined) throw new Error('packages/client was not packed.');
    return { path: `client/${basename(packed)}`, content: readFileSync(packed) };
  });
}
