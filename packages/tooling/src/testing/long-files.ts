import { relative } from 'node:path';
import { root } from '../project.ts';

/** The files whose tests take longest, the longest first: `npm test` leaves them out, so that it takes less than five minutes. */
export const longFiles: readonly string[] = [
  'packages/tooling/src/docs/in-browser/site-in-browser.test.ts',
  'packages/client/test/real-processes.test.ts',
  'packages/client/test/package.test.ts',
  'packages/client/test/tabs.test.ts',
  'packages/server/test/shared/processes.test.ts',
  'packages/server/test/fuzz/fuzz.test.ts',
  'packages/server/test/docs/try-it.test.ts',
  'examples/react-catalogue/test/catalogue.test.ts',
  'packages/server/test/faults/kill.test.ts',
  'packages/tooling/src/release/release.test.ts',
  'packages/server/test/docs/samples.test.ts',
  'packages/server/test/deploy/steps/postgres.test.ts',
  'bench/growing/main.test.ts',
  'packages/server/test/workers.test.ts',
  'packages/server/test/abuse/unread-responses.test.ts',
  'packages/server/test/shared/away.test.ts',
  'packages/server/test/shared/redis-topologies.test.ts',
  'packages/server/test/faults/slow-parts.test.ts',
  'packages/server/test/telemetry.test.ts',
  'packages/server/test/model/model.test.ts',
  'packages/server/test/differential/differential.test.ts',
  'packages/server/test/differential/planted-faults.test.ts',
  'packages/server/test/service/cli/move.test.ts',
  'packages/server/test/migrate.test.ts',
  'packages/tooling/src/dev/dev.test.ts',
  'scripts/first-start.test.ts',
  'packages/server/test/deploy/image/image.test.ts',
  'packages/server/test/fuzz/planted-faults.test.ts',
  'examples/node-import/test/interruptions.test.ts',
  'bench/compare/peers/peers.test.ts',
  'bench/compare/main.test.ts',
  'packages/server/test/faults/stop.test.ts',
  'packages/server/test/second-contract/second-contract.test.ts',
  'packages/tooling/src/diff/check.test.ts',
  'packages/server/test/fuzz/requests/curl.test.ts',
  'packages/server/test/model/planted-faults.test.ts',
  'packages/server/test/faults/storage-faults.test.ts',
];

export function isLongFile(path: string): boolean {
  return longFilePlace(path) < longFiles.length;
}

/** The place of a file in `longFiles`. Every other file has the same place, behind them. */
export function longFilePlace(path: string): number {
  const index = longFiles.indexOf(relative(root, path).replaceAll('\\', '/'));
  return index < 0 ? longFiles.length : index;
}
