/**
 * contract-first bundle NAME: bundles a package into its dist/ for publishing: ESM and CommonJS, with types for
 * both. The workspace itself uses the sources. pnpm runs it before it packs.
 */

import { bundlePackage } from '../bundle/bundle.ts';
import { fail } from '../common/fail.ts';

const [name] = process.argv.slice(2);
try {
  if (name === undefined) throw new Error('Name a package: contract-first bundle client');
  await bundlePackage(name);
} catch (error) {
  fail(error);
}
