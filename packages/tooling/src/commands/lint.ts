/** contract-first lint: checks openapi.yaml by the rules of .redocly.yaml, with what the service adds if the project says so. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lintParameters, type RedoclyRun, runRedocly } from '../common/redocly.ts';
import { bundleContract } from '../effective/bundle.ts';
import { project } from '../project.ts';

const { exitCode, stdout, stderr } = run();
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = exitCode;

function run(): RedoclyRun {
  const [command, file, ...options] = lintParameters;
  if (!project.completes) return runRedocly(command, file, ...options);
  const folder = mkdtempSync(join(tmpdir(), 'lint-'));
  try {
    const effective = join(folder, 'openapi.json');
    writeFileSync(effective, bundleContract().json);
    return runRedocly(command, effective, ...options);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
