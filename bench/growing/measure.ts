import { encodeRequest, type LoadRequest, runLoad, sendOnce } from '../load/load.ts';
import type { Server } from '../server/server.ts';
import type { GrownOperation } from './contract.ts';

/** Milliseconds of the first and second request to each operation, in contract order, and the bytes that remain in use. */
export type FirstRequests = { first: number[]; second: number[]; heapPerOperation: number };

/** Requests per second of the first and last operation of each kind, one value per round. */
export type Rates = Map<string, { first: number[]; last: number[] }>;

/** Sends every operation its first request, for which the server creates the validator, and a second one. */
export async function measureFirstRequests(
  { port, memory }: Server,
  key: string,
  grown: GrownOperation[],
): Promise<FirstRequests> {
  const before = await memory();
  const first: number[] = [];
  const second: number[] = [];
  for (const operation of grown) {
    const request = requestTo(operation, key);
    first.push(await millisecondsOf(port, request, operation.id));
    second.push(await millisecondsOf(port, request, operation.id));
  }
  const after = await memory();
  return { first, second, heapPerOperation: (after.heap - before.heap) / grown.length };
}

async function millisecondsOf(port: number, { bytes, status }: LoadRequest, id: string): Promise<number> {
  const startedAt = performance.now();
  const response = await sendOnce(port, bytes);
  if (response.status !== status) throw new Error(`${id} answered with ${response.status}.`);
  return performance.now() - startedAt;
}

/** Measures the first and last operation of each kind in turns; their order is reversed in every other round. */
export async function measureRates(
  { port }: Server,
  key: string,
  grown: GrownOperation[],
  { rounds, ...load }: { rounds: number; seconds: number; connections: number },
): Promise<Rates> {
  const rates: Rates = new Map();
  // Round 0 is a warm-up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [kind, operations] of Map.groupBy(grown, (operation) => operation.kind)) {
      const measured = rates.get(kind) ?? { first: [], last: [] };
      rates.set(kind, measured);
      const places = [['first', operations.at(0)] as const, ['last', operations.at(-1)] as const];
      for (const [place, operation] of round % 2 === 0 ? places : places.toReversed()) {
        if (operation === undefined) continue;
        const request = requestTo(operation, key);
        const { rate } = await runLoad({ ports: [port], next: () => request }, load);
        if (round > 0) measured[place].push(rate);
      }
    }
  }
  return rates;
}

function requestTo({ method, path, body, response }: GrownOperation, key: string): LoadRequest {
  const url = `/v1${path.replaceAll(/\{\w+\}/g, '1')}`;
  const text = body === undefined ? '' : JSON.stringify(body);
  return { bytes: encodeRequest(method, url, { Authorization: `Bearer ${key}` }, text), status: response.status };
}
