import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Contract } from '../../../service/src/common/facts.ts';
import { readConfig } from '../../../service/src/config/config.ts';
import type { Problem } from '../../../service/src/openapi/error-body.ts';
import type { AnyOperations } from '../../../service/src/openapi/operation.ts';
import { type RunningServer, startServer } from '../../../service/src/start.ts';
import { type Adopted, adopt } from '../../../tooling/src/effective/adopt.ts';
import { api } from '../second-contract/operations.ts';
import { contractOf } from '../second-contract/start.ts';

/** What the service makes of a contract with these paths, which was written elsewhere. */
export function adoptPaths(paths: object, components: object = {}, more: object = {}): Adopted {
  const folder = mkdtempSync(join(tmpdir(), 'contract-'));
  const file = join(folder, 'openapi.yaml');
  try {
    const info = { title: 'Elsewhere', version: '1' };
    const contract = { openapi: '3.1.0', info, paths, components, ...more };
    writeFileSync(file, JSON.stringify(contract, null, 2));
    return adopt(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export type Served = AsyncDisposable &
  Pick<RunningServer, 'keys'> & { origin: string; contract: Contract; log: () => string };

/** Serves an adopted contract in this process, in test mode. Its operations are public, because it has no `security`. */
export async function serve(
  { document }: Pick<Adopted, 'document'>,
  operations: AnyOperations,
  settings: Readonly<Record<string, string>> = {},
  { errorBody, ...parts }: { errorBody?: (problem: Problem) => unknown; clock?: () => number } = {},
): Promise<Served> {
  const contract = contractOf(document);
  const isServed = ([id]: [string, unknown]) => Object.hasOwn(contract.operations, id);
  const served = Object.fromEntries(Object.entries(operations).filter(isServed));
  const lines: string[] = [];
  const server = await startServer({
    service: { ...api, contract, operations: served, ...(errorBody && { errorBody }) },
    config: readConfig({ NODE_ENV: 'test', PORT: '0', DATABASE_URL: 'sqlite::memory:', ...settings }),
    log: pino({ level: 'info' }, { write: (line) => void lines.push(line) }),
    timeouts: { lastRequest: 0 },
    ...parts,
  });
  return {
    origin: `http://127.0.0.1:${server.port}`,
    contract,
    keys: server.keys,
    log: () => lines.join(''),
    [Symbol.asyncDispose]: async () => void (await server.stop()),
  };
}
