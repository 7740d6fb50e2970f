/** npm run release: plans, writes, tests, packs, commits and tags a release on this machine. Publishes nothing. */

import { spawnSync } from 'node:child_process';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { fail } from '../common/fail.ts';
import { project, root } from '../project.ts';
import { packPackages } from '../release/packages.ts';
import { describePlan, type Plan, planRelease } from '../release/plan.ts';
import { tagReleases } from '../release/tags.ts';
import { writeRelease } from '../release/write.ts';

const help = `npm run release [-- OPTION ...]

Prints the changes and the version of the release, writes versions and changelogs, copies the contract to releases/,
runs npm test, packs the published packages into dist/packages/, commits, and tags each release of the changelog that has
no tag. Does not push or publish.

  --dry-run     only print the changes and the version
  --unchecked   skip the tests, for a commit that has already passed them
  --help        print this help

See docs/releasing.md.`;

try {
  const { values } = parseArgs({
    options: { 'dry-run': { type: 'boolean' }, unchecked: { type: 'boolean' }, help: { type: 'boolean' } },
  });
  if (values.help === true) console.log(help);
  else main(values['dry-run'] === true, values.unchecked !== true);
} catch (error) {
  fail(error);
}

function main(isDryRun: boolean, isChecked: boolean): void {
  const today = new Date();
  const day = today.toISOString().slice(0, 10);
  const plan = planRelease(today);
  if (plan.problems.length > 0) throw new Error(`The release has problems:\n${plan.problems.join('\n')}`);
  const isChanged = plan.version !== plan.last?.version;
  const files = git('status', '--short');
  if (isChanged && files !== '' && !isDryRun) throw new Error(`Commit or stash your changes first:\n${files}`);
  console.log(isChanged ? describePlan(plan, day) : `Nothing has changed since ${plan.version}.`);
  if (isChanged && !isDryRun) release(plan, day, isChecked);
}

function release(plan: Plan, day: string, isChecked: boolean): void {
  const { version } = plan;
  const tarballs = commitRelease(plan, day, isChecked);
  const tags = tagReleases(root, project.title);
  const publish = tarballs.map((file) => `  npm publish --access public ${relative(root, file)}`);
  const push = `  git push --atomic origin ${git('branch', '--show-current')} ${tags.join(' ')}`;
  const tested = isChecked ? '' : ' The tests were skipped.';
  console.log(`
Released ${version} locally.${tested} To publish it, push the tag:

${push}

.github/workflows/release.yml then publishes the packages with provenance. To publish them without it:

${publish.join('\n')}`);
}

/** Writes, tests, packs and commits everything, or commits nothing; returns the tarballs. */
function commitRelease(plan: Plan, day: string, isChecked: boolean): string[] {
  try {
    writeRelease(plan, day);
    // What `npm test` runs.
    if (isChecked && spawnSync(process.execPath, ['scripts/test.ts'], { cwd: root, stdio: 'inherit' }).status !== 0) {
      throw new Error('npm test failed.');
    }
    const tarballs = packPackages();
    git('add', '--all');
    git('commit', '--quiet', '--message', `Release ${plan.version}`);
    return tarballs;
  } catch (error) {
    console.error('\nNothing was released. To remove the written files, run: git stash --include-untracked');
    throw error;
  }
}

function git(...parameters: string[]): string {
  const { status, stdout, stderr, error } = spawnSync('git', parameters, { cwd: root, encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`git ${parameters[0]} failed: ${stderr.trim()}`);
  return stdout.trimEnd();
}
