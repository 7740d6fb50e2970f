/**
 * npm run diff: prints what changed in the contract since its last release. Exits with 1 if a change breaks callers of a
 * stable operation, or if info.version does not match the changes.
 *
 *   node packages/tooling/src/commands/diff.ts [CONTRACT [RELEASES]]   a file, and a folder with openapi-*.yaml
 */

import { relative } from 'node:path';
import { fail } from '../common/fail.ts';
import { readContract, versionOf } from '../contract/parse.ts';
import { checkContract } from '../diff/check.ts';
import { releasedVersions, releaseFile, releasesFolder } from '../diff/releases.ts';
import { currentContract } from '../effective/bundle.ts';
import { root } from '../project.ts';

const [file, folder = releasesFolder] = process.argv.slice(2);

try {
  const [last] = releasedVersions(folder);
  if (last === undefined) console.log('There is no release to compare with yet.');
  else compareWith(last);
} catch (error) {
  fail(error);
}

function compareWith(version: string): void {
  const contracts = {
    released: readContract(releaseFile(version, folder), relative(root, releaseFile(version, folder))),
    current: file === undefined ? currentContract() : readContract(file, relative(root, file)),
  };
  if (versionOf(contracts.released.document) !== version) {
    throw new Error(`${contracts.released.file} contains version ${versionOf(contracts.released.document)}.`);
  }
  const { comparison, problems } = checkContract(contracts);
  console.log(`since ${version}: ${counts(comparison.stable)}; in beta: ${counts(comparison.beta)}`);
  if (problems.length === 0) return;
  console.error(problems.join('\n'));
  process.exitCode = 1;
}

function counts(changes: readonly { impact: string }[]): string {
  const count = (impact: string) => changes.filter((change) => change.impact === impact).length;
  return `${count('major')} breaking, ${count('minor')} compatible, ${count('patch')} in wording`;
}
