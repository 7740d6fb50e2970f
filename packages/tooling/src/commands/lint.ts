/** contract-first lint: checks openapi.yaml with the rules of .redocly.yaml. */
import { lintParameters, runRedocly } from '../common/redocly.ts';

const { exitCode, stdout, stderr } = runRedocly(...lintParameters);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = exitCode;
