/**
 * npm run check [-- PART]: types, lint and drift, or only the checks whose name contains PART, which is "lint" for `npm run lint`. Takes
 * seconds. `npm test` includes it.
 */
import { checks, fixtures, runSteps } from './steps.ts';

const [part = ''] = process.argv.slice(2);
const chosen = checks.filter(({ name }) => name.includes(part));
const unknown = chosen.length === 0 ? [`no check is called ${part}`] : [];
const first = chosen.some(({ name }) => name === 'types') ? [fixtures] : [];
const failed = [...unknown, ...(await runSteps(first)), ...(await runSteps(chosen, { atOnce: 2 }))];
console.log(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.join(', ')}.`);
process.exitCode = failed.length === 0 ? 0 : 1;
