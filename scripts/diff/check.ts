import { adviceFor } from './advice.ts';
import { type Change, type Impact, impactOf, largerImpact } from './change.ts';
import { type Comparison, compareContracts } from './compare.ts';
import { type Contract, versionOf } from './contract.ts';
import { type ExceptedChange, type Exception, isFor, openExceptions } from './exceptions.ts';
import { placeName, usersOf } from './place.ts';
import { versionProblem } from './versions.ts';

export type ContractCheck = {
  comparison: Comparison;
  /** What breaks callers and is not excepted. */
  breaking: Change[];
  excepted: ExceptedChange[];
  /** What a release of the other changes needs; undefined when there are none. */
  impact: Impact | undefined;
  /** One line for each thing that keeps this contract from being released. */
  problems: string[];
};

type Contracts = { released: Contract; current: Contract };

/** Holds the current contract against the released one: the promise of v1, the exceptions from it, and the number. */
export async function checkContract(
  contracts: Contracts,
  exceptions: readonly Exception[],
  today = new Date(),
): Promise<ContractCheck> {
  const { released, current } = contracts;
  const comparison = await compareContracts(released, current, today);
  const version = { released: versionOf(released.document), current: versionOf(current.document) };
  const open = openExceptions(exceptions, version.released);
  const majors = comparison.stable.filter(({ impact }) => impact === 'major');
  const excepted = majors.flatMap((change) => {
    const exception = open.find((candidate) => isFor(candidate, change));
    return exception === undefined ? [] : [{ change, exception }];
  });
  const breaking = majors.filter((change) => !excepted.some((one) => one.change === change));
  const kept = comparison.stable.filter((change) => !breaking.includes(change));
  const impact = impactOfAll({ stable: kept, beta: comparison.beta });
  const problems = [
    ...breaking.map((change) => `${lineFor(contracts, change)} ${adviceFor(change.rule)}`),
    ...open.flatMap((exception) => exceptionProblem(exception, comparison.stable, version.current)),
    versionProblem(version.released, version.current, impact),
  ].filter((problem) => problem !== undefined);
  return { comparison, breaking, excepted, impact, problems };
}

/** One change in one line: file and line, what it is part of, who uses that, and what changed. */
export function lineFor(contracts: Contracts, change: Change): string {
  const { file, document, lineOf } = change.isGone ? contracts.released : contracts.current;
  return `${file}:${lineOf(change.at)}: ${placeWithUsers(document, change.at)}: ${change.says}`;
}

/** The changed part with the stable operations that use it, three of them by name. */
export function placeWithUsers(document: unknown, at: string): string {
  const users = usersOf(document, at);
  const named = users.length > 3 ? `${users.slice(0, 2).join(', ')} and ${users.length - 2} more` : users.join(', ');
  return named === '' ? placeName(document, at) : `${placeName(document, at)} (${named})`;
}

/** Beta operations are outside the promise, so whatever happens to them is an addition at most. */
function impactOfAll({ stable, beta }: Comparison): Impact | undefined {
  const outside = impactOf(beta);
  return largerImpact(impactOf(stable), outside === 'major' ? 'minor' : outside);
}

function exceptionProblem(exception: Exception, changes: readonly Change[], version: string): string[] {
  const name = `releases/exceptions.yaml: ${exception.at}: "${exception.change}"`;
  if (!changes.some((change) => change.impact === 'major' && isFor(exception, change))) {
    return [`${name} excepts nothing: no such change breaks anything. Remove the entry.`];
  }
  if (exception.release === version) return [];
  return [`${name} is for the release ${exception.release}, but info.version is ${version}. Make them agree.`];
}
