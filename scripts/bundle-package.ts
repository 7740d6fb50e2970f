/**
 * node scripts/bundle-package.ts NAME: bundles a package of the workspace into its dist/, as it is published: ESM and
 * CommonJS, with types for both. Nothing in the workspace itself needs it. pnpm runs it before it packs.
 */
import { bundlePackage } from './bundle/bundle.ts';

const [name] = process.argv.slice(2);
try {
  if (name === undefined) throw new Error('Say which package: node scripts/bundle-package.ts client');
  await bundlePackage(name);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
