import { createRequire } from 'node:module';
import { relative } from 'node:path';
import type { Test } from '@jest/reporters';
import { root } from '../root.ts';

// Its types describe only its CommonJS module.
const { default: Sequencer }: typeof import('@jest/test-sequencer') = createRequire(import.meta.url)(
  '@jest/test-sequencer',
);

/** The files whose tests take longest, the longest first: `npm test` leaves them out, so that it takes less than five minutes. */
export const longFiles: readonly string[] = [
  'scripts/docs/in-browser/site-in-browser.test.ts',
  'packages/client/test/real-processes.test.ts',
  'packages/client/test/package.test.ts',
  'packages/client/test/tabs.test.ts',
  'packages/server/test/shared/processes.test.ts',
  'packages/server/test/fuzz/fuzz.test.ts',
  'scripts/docs/in-browser/try-it.test.ts',
  'examples/react-catalogue/test/catalogue.test.ts',
  'packages/server/test/faults/kill.test.ts',
  'scripts/release/release.test.ts',
  'scripts/docs/samples/samples.test.ts',
  'scripts/deploy/steps/postgres.test.ts',
  'bench/growing/main.test.ts',
  'packages/server/test/workers.test.ts',
  'packages/server/test/abuse/unread-responses.test.ts',
  'packages/server/test/shared/away.test.ts',
  'packages/server/test/shared/redis-topologies.test.ts',
  'packages/server/test/faults/slow-parts.test.ts',
  'packages/server/test/telemetry.test.ts',
  'packages/server/test/model/model.test.ts',
  'packages/server/src/move.test.ts',
  'packages/server/test/migrate.test.ts',
  'scripts/dev/dev.test.ts',
  'scripts/first-start.test.ts',
  'scripts/deploy/image/image.test.ts',
  'packages/server/test/fuzz/planted-faults.test.ts',
  'examples/node-import/test/interruptions.test.ts',
  'bench/compare/peers/peers.test.ts',
  'bench/compare/main.test.ts',
  'packages/server/test/faults/stop.test.ts',
  'packages/server/test/second-contract/second-contract.test.ts',
  'scripts/diff/check.test.ts',
  'packages/server/test/fuzz/requests/curl.test.ts',
  'packages/server/test/model/planted-faults.test.ts',
  'packages/server/test/faults/storage-faults.test.ts',
];

/**
 * Starts the longest files first, so that none of them is still running when all others have ended. Jest itself orders
 * them by the duration of the last run, which it does not know in a fresh clone.
 */
export default class LongestFirst extends Sequencer {
  override async sort(tests: Test[]): Promise<Test[]> {
    const sorted = await super.sort(tests);
    return sorted.some(({ duration }) => duration !== undefined) ? sorted : longestFirst(sorted);
  }
}

/** Puts the long files before all others, which keep their order. */
export function longestFirst<T extends { path: string }>(tests: readonly T[]): T[] {
  const place = ({ path }: T) => {
    const index = longFiles.indexOf(relative(root, path).replaceAll('\\', '/'));
    return index < 0 ? longFiles.length : index;
  };
  return tests.toSorted((one, other) => place(one) - place(other));
}
