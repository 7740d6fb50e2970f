import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diff } from 'semver';
import { readIfThere, toolFile } from '../common/files.ts';
import { parseContract, versionOf } from '../contract/parse.ts';
import { releaseFile, releasesFolder } from '../diff/releases.ts';
import { completeContract, root } from '../project.ts';
import { changelogEntry, changeSummary, withEntry } from './changelog.ts';
import { versionPackages, writeContractChangeset } from './packages.ts';
import type { Plan } from './plan.ts';

/** Writes the release into the working tree: versions, changelogs, and the released contract. */
export function writeRelease(plan: Plan, day: string): void {
  const { version, last } = plan;
  const contract = join(root, 'openapi.yaml');
  const changelog = join(root, 'CHANGELOG.md');
  writeFileSync(changelog, withEntry(readIfThere(changelog), changelogEntry(plan, day)));
  writeFileSync(contract, withInfoVersion(readFileSync(contract, 'utf8'), version));
  mkdirSync(releasesFolder, { recursive: true });
  writeFileSync(releaseFile(version), withInfoVersion(readFileSync(completeContract, 'utf8'), version));
  if (last !== undefined) {
    const bump = diff(last.version, version) === 'patch' ? 'patch' : 'minor';
    writeContractChangeset(join(root, '.changeset'), version, bump, changeSummary(plan));
    versionPackages(version);
  }
  generate();
}

/** The YAML of a contract with another version, and every other byte unchanged. */
export function withInfoVersion(yaml: string, version: string): string {
  const changed = yaml.replace(/^(info:\n(?: .*\n|\n)*? {2}version: )\S+/m, (_all, before) => `${before}${version}`);
  if (versionOf(parseContract(changed, 'openapi.yaml').document) === version) return changed;
  throw new Error('openapi.yaml has no line "  version: ..." under info.');
}

/** The generated files contain the version. */
function generate(): void {
  const { status } = spawnSync(process.execPath, [toolFile('commands/generate')], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The generated files could not be written.');
}
