/** npm run advisories: looks for known vulnerabilities of the packages that production installs or contains. */
import { parseArgs } from 'node:util';
import { runPnpm } from './pnpm.ts';

const help = `npm run advisories [-- OPTION]

Asks the advisory database of npm about all packages that are no development tools, with pnpm audit. Fails if one has a known
vulnerability, unless auditConfig.ignoreGhsas in pnpm-workspace.yaml allows it.

  --required  retry, and fail if no database answers; without this option, only print why nothing was checked
  --help      print this help`;

try {
  const { values } = parseArgs({ options: { required: { type: 'boolean' }, help: { type: 'boolean' } } });
  if (values.help === true) console.log(help);
  else process.exitCode = main(values.required === true) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** Prints the result; returns whether it is good. */
function main(isRequired: boolean): boolean {
  // Without a network, each retry delays the result by more than ten seconds.
  const { status, stdout, stderr } = runPnpm(['audit', '--prod', ...(isRequired ? [] : ['--config.fetch-retries=0'])]);
  console.log(`${stdout}${stderr}`.trimEnd());
  if (status === 0 || isRequired || /^\d+ vulnerabilit/m.test(stdout)) return status === 0;
  console.log('No advisory database answered, so nothing was checked.');
  return true;
}
