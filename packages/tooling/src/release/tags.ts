import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Tags each release of the changelog that has no tag, on the commit that released it. Returns the tags that were added.
 * @throws Error if the history does not have that commit
 */
export function tagReleases(folder: string, title: string): string[] {
  const git = (...parameters: string[]) =>
    execFileSync('git', parameters, { cwd: folder, encoding: 'utf8' }).trim().split('\n');
  const tags = git('tag', '--list');
  const commits = git('log', '--format=%H %s');
  return changelogVersions(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8'))
    .filter((version) => !tags.includes(`v${version}`))
    .map((version) => {
      const commit = commits.find((line) => line.slice(41) === `Release ${version}`)?.slice(0, 40);
      if (commit === undefined)
        throw new Error(`No commit is "Release ${version}". Fetch the whole history, then try again.`);
      git('tag', '--annotate', `v${version}`, commit, '--message', `${title} ${version}`);
      return `v${version}`;
    });
}

/** The versions in a changelog, the newest first. */
export function changelogVersions(changelog: string): string[] {
  return [...changelog.matchAll(/^## (\S+) \(/gm)].map(([, version = '']) => version);
}
