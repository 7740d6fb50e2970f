/** contract-first lint: checks openapi.yaml by the rules of .redocly.yaml, with what the service adds. */
import { readContract } from '../contract/parse.ts';
import { problemsOf } from '../effective/adopt.ts';
import { bundleContract } from '../effective/bundle.ts';
import { project } from '../project.ts';

const { leftOut } = project;
const whole = bundleContract([]);
const found = problemsOf(whole, readContract('openapi.yaml'), '.redocly.yaml');
const problems = found.filter(({ operation }) =>
  operation === undefined ? whole.isOurs : !leftOut.includes(operation),
);
for (const operation of leftOut.filter((one) => !found.some((problem) => problem.operation === one)))
  console.log(`${operation} can be served now: remove it from leftOut in contract-first.yaml.`);
for (const { operation, reason } of found)
  if (operation === undefined && !whole.isOurs) console.log(`No operation depends on it: ${reason}`);
for (const { operation, reason } of problems) {
  const advice = ` To serve the others without it, add "${operation}" to leftOut in contract-first.yaml.`;
  console.error(operation === undefined || !project.completes ? reason : reason + advice);
}
if (problems.length === 0) console.log('openapi.yaml is valid, with what the service adds.');
else process.exitCode = 1;
