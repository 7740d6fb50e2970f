/** npm run dev: the server, and what follows from the contract, kept up with every save. */
import { parseArgs } from 'node:util';
import { dev } from './dev/dev.ts';
import { root } from './root.ts';

const help = `npm run dev

Starts the server as npm start does, and follows your changes until Ctrl-C:

  openapi.yaml             the generated files, lint and the docs page follow within a second
  docs/guides              the docs are built again
  packages/*/src           the server drains and starts again, its database kept
  scripts, .redocly.yaml   what generates, lints and builds the docs page is loaded again

A mistake is shown, and what ran goes on running until it is mended. The settings are those of
npm start (PORT, DATABASE_URL, ...): docs/operate.md. A restart gives requests under way
2 seconds to end, or DRAIN_SECONDS.`;

process.chdir(root);
try {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help === true) console.log(help);
  else await dev();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
