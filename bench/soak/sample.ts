import type { Server } from '../server/server.ts';
import type { Sample } from './verdict.ts';

/** How the server stands: its memory without garbage, and its open files and sockets by its own metrics. */
export async function sampleOf(server: Server, minutes: number, requests: number): Promise<Sample> {
  const { heap, resident } = await server.memory();
  return { minutes, requests, heap, resident, handles: await openHandles(server) };
}

async function openHandles(server: Server): Promise<number> {
  const address = /metrics +(http:\S+)/.exec(server.output())?.[1];
  if (address === undefined) throw new Error(`The server does not say where its metrics are:\n${server.output()}`);
  const text = await (await fetch(address)).text();
  // Linux counts all that is open; elsewhere the event loop's handles have to do.
  const count = /^process_open_fds (\d+)/m.exec(text) ?? /^nodejs_active_handles_total (\d+)/m.exec(text);
  if (count === null) throw new Error('The metrics do not say how many handles are open.');
  return Number(count[1]);
}
