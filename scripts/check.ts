/** npm run check: types, lint and drift. Takes seconds, so it can run on every save. `npm test` includes it. */
import { checks, fixtures, runSteps } from './steps.ts';

const failed = [...(await runSteps([fixtures])), ...(await runSteps(checks, { atOnce: 2 }))];
console.log(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.join(', ')}.`);
process.exitCode = failed.length === 0 ? 0 : 1;
