import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { gt, valid } from 'semver';
import { readContract, versionOf } from '../contract/parse.ts';
import { releasedVersions, versionAfter, withoutDev } from '../diff/releases.ts';
import { root } from '../project.ts';

/** The state of the sources: the last release, `info.version`, and the checked-out commit, if there is one. */
export type SourceState = {
  released: string | undefined;
  contract: string;
  commit: { hash: string; subject: string; isClean: boolean } | undefined;
};

/**
 * The version for tarballs of these sources: that of the release if they are exactly its commit, otherwise a prerelease of the next
 * one, such as `1.1.0-dev.g1a2b3c4`. npm installs a prerelease only for those who ask for it.
 */
export function packVersion({ released, contract, commit }: SourceState): string {
  if (released !== undefined && commit?.subject === `Release ${released}` && commit.isClean) return released;
  const next =
    released === undefined || gt(contract, released) ? semverOf(withoutDev(contract)) : versionAfter(released, 'patch');
  // The "g" keeps a hash of digits from being read as a number, which must not begin with 0.
  return commit === undefined ? `${next}-dev` : `${next}-dev.g${commit.hash}`;
}

/** A version that npm accepts: `2024-05` is 2024.5.0, and `v2 beta` is 2.0.0. */
function semverOf(version: string): string {
  if (valid(version) === version) return version;
  const [major = 0, minor = 0, patch = 0] = (version.match(/\d{1,9}/g) ?? []).map(Number);
  return `${major}.${minor}.${patch}`;
}

/** The state of the sources of this project. */
export function sourceState(): SourceState {
  const contract = versionOf(readContract(join(root, 'openapi.yaml'), 'openapi.yaml').document);
  return { released: releasedVersions()[0], contract, commit: currentCommit() };
}

function currentCommit(): SourceState['commit'] {
  const [hash = '', subject = ''] = git('log', '-1', '--format=%h%n%s')?.split('\n') ?? [];
  if (hash === '') return undefined;
  return { hash, subject, isClean: git('status', '--porcelain', '--untracked-files=no') === '' };
}

/** The output of git; undefined if it fails, for example because the sources were downloaded without their history. */
function git(...parameters: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', parameters, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trimEnd() : undefined;
}
