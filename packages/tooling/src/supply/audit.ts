/** npm run advisories: looks for known vulnerabilities in the installed packages, and fails if one reaches production. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { judge, readAllowed, readReport } from './advisories.ts';
import { runPnpm } from './pnpm.ts';
import { createSboms, fullName } from './sbom.ts';

const help = `npm run advisories [-- OPTION]

Asks the advisory database of npm about all installed packages. Fails if a package that a release installs or contains has a known
vulnerability, unless packages/tooling/src/supply/advisories.yaml allows it. Vulnerabilities of development tools are only printed.

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
  const today = new Date();
  const allowed = readAllowed(readFileSync(join(import.meta.dirname, 'advisories.yaml'), 'utf8'), today);
  // Without a network, each retry delays the result by more than ten seconds.
  const retries = isRequired ? [] : ['--config.fetch-retries=0'];
  const { stdout, stderr } = runPnpm(['audit', '--json', ...retries]);
  const report = readReport(stdout);
  if (report === undefined) {
    console.log(`Advisories were not checked:\n${stderr}${stdout}`.trimEnd());
    return !isRequired;
  }
  const components = [...createSboms().values()].flatMap((sbom) => sbom.components);
  const shipped = new Set(components.map((component) => `${fullName(component)}@${component.version}`));
  const { problems, notes } = judge(report, shipped, allowed, today);
  for (const note of notes) console.log(note);
  for (const problem of problems) console.error(problem);
  console.log(
    problems.length === 0
      ? `No known vulnerability reaches production (${shipped.size} packages).`
      : 'Upgrade these packages, or add an entry to packages/tooling/src/supply/advisories.yaml if the vulnerability does not affect us.',
  );
  return problems.length === 0;
}
