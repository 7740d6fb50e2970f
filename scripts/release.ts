/** npm run release: a release from the plan to the tag, on this machine only. Nothing is pushed or published. */
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { addTag, commitAll, currentBranch, hasTag, lastSubject, uncommittedFiles } from './release/git.ts';
import { packPackages } from './release/packages.ts';
import { type Plan, planRelease } from './release/plan.ts';
import { inWords } from './release/say.ts';
import { writeRelease } from './release/write.ts';
import { root } from './root.ts';
import { runSteps } from './steps.ts';

const help = `npm run release [-- OPTION ...]

Says what is to be released and under which number, writes the numbers and changelogs, keeps the contract in releases/,
runs npm test, packs contract and client into dist/packages/, commits, and tags. Nothing is pushed or published.

  --dry-run     says what is to be released, and writes nothing
  --unchecked   runs no tests, for a commit that passed them
  --help        this text

docs/releasing.md tells the whole.`;

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { 'dry-run': { type: 'boolean' }, unchecked: { type: 'boolean' }, help: { type: 'boolean' } },
  });
  if (values.help === true) return console.log(help);
  const today = new Date();
  const day = today.toISOString().slice(0, 10);
  const plan = await planRelease(today);
  if (plan.problems.length > 0) throw new Error(`This cannot be released:\n${plan.problems.join('\n')}`);
  if (plan.version === plan.last?.version) return finish(plan.version);
  const files = uncommittedFiles();
  if (files.length > 0 && values['dry-run'] !== true)
    throw new Error(`Commit or put away what is not committed:\n${files.join('\n')}`);
  console.log(inWords(plan, day));
  if (values['dry-run'] === true) return;
  if (hasTag(`v${plan.version}`)) throw new Error(`There is a tag v${plan.version} already, but no such release.`);
  release(plan, day, values.unchecked !== true);
}

function release(plan: Plan, day: string, isChecked: boolean): void {
  const { version } = plan;
  const tarballs = commitRelease(plan, day, isChecked);
  try {
    addTag(`v${version}`, `Animal Store ${version}`);
  } catch (cause) {
    throw new Error('The release is committed, but has no tag. Run npm run release again: it adds the tag.', { cause });
  }
  const publish = tarballs.map((file) => `  npm publish --access public ${relative(root, file)}`);
  const push = `  git push --atomic origin ${currentBranch()} v${version}`;
  const tested = isChecked ? '' : ' Its tests were not run.';
  console.log(
    `\nReleased ${version} on this machine.${tested} To give it to others:\n\n${[push, ...publish].join('\n')}`,
  );
}

/** Writes, tests, packs and commits; gives the tarballs. Either all of it is committed or nothing. */
function commitRelease(plan: Plan, day: string, isChecked: boolean): string[] {
  try {
    writeRelease(plan, day);
    const test = { name: 'npm test', command: process.execPath, parameters: ['scripts/test.ts'] };
    if (isChecked && runSteps([test]).length > 0) throw new Error('The release does not pass npm test.');
    const tarballs = packPackages();
    commitAll(`Release ${plan.version}`);
    return tarballs;
  } catch (error) {
    console.error('\nNothing was released. What was written is put away by: git stash --include-untracked');
    throw error;
  }
}

/** Everything is released. A run that was stopped between the commit and the tag is ended. */
function finish(version: string): void {
  const tag = `v${version}`;
  if (hasTag(tag)) {
    console.log(`${version} is released (tag ${tag}), and nothing changed since.`);
    return;
  }
  if (lastSubject() !== `Release ${version}`) {
    throw new Error(`${version} is in releases/, but has no tag. Fetch it, or: git tag --annotate ${tag} COMMIT`);
  }
  addTag(tag, `Animal Store ${version}`);
  console.log(`${version} was released without its tag; ${tag} is added.`);
}
