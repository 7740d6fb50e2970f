/**
 * node packages/tooling/src/commands/bundle.ts NAME: bundles a package into its dist/ for publishing: ESM and CommonJS, with types for
 * both. The workspace itself uses the sources. pnpm runs it before it packs.
 */
import { bundlePackage } from '../bundle/bundle.ts';

const [name] = process.argv.slice(2);
try {
  if (name === undefined) throw new Error('Name a package: node packages/tooling/src/commands/bundle.ts client');
  await bundlePackage(name);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
