/** contract-first lint: checks openapi.yaml by the rules of .redocly.yaml, with what the service adds. */
import { readContract } from '../contract/parse.ts';
import { problemsOf } from '../effective/adopt.ts';
import { bundleContract } from '../effective/bundle.ts';
import { project } from '../project.ts';

const problems = problemsOf(bundleContract(), readContract('openapi.yaml'), '.redocly.yaml');
for (const { operation, reason } of problems) {
  const advice =
    operation === undefined || !project.completes
      ? ''
      : ` To serve the others without it, add "${operation}" to leftOut in contract-first.yaml.`;
  console.error(`${reason}${advice}`);
}
if (problems.length === 0) console.log('openapi.yaml is valid, with what the service adds.');
else process.exitCode = 1;
