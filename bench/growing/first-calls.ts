import type { Server } from '../server/server.ts';
import type { GrownOperation } from './contract.ts';
import { pathOf } from './requests.ts';

export type FirstCalls = {
  /** Milliseconds of the first call of each operation, in the order of the contract, and of its second call. */
  first: number[];
  second: number[];
  /** Bytes that the server holds more after every operation was called, by operation. */
  heapPerOperation: number;
  residentPerOperation: number;
};

/** Calls every operation for the first time: that is when its validator is made. */
export async function measureFirstCalls(server: Server, grown: GrownOperation[]): Promise<FirstCalls> {
  const before = await server.memory();
  const first: number[] = [];
  const second: number[] = [];
  for (const operation of grown) {
    first.push(await millisecondsOf(server, operation));
    second.push(await millisecondsOf(server, operation));
  }
  const after = await server.memory();
  return {
    first,
    second,
    heapPerOperation: (after.heap - before.heap) / grown.length,
    residentPerOperation: (after.resident - before.resident) / grown.length,
  };
}

async function millisecondsOf({ port, key }: Server, { id, method, path, body, reply }: GrownOperation) {
  const startedAt = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}${pathOf(path)}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  if (response.status !== reply.status) throw new Error(`${id} answered ${response.status}.`);
  return performance.now() - startedAt;
}
