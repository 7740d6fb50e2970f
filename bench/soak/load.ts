import { Agent, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { type Call, type Keys, nextCall, type Random } from './calls.ts';

export type LoadParts = {
  port: number;
  keys: Keys;
  random: Random;
  connections: number;
  /** Requests a second, over all connections. */
  rate: number;
  /** Ends the load. */
  signal: AbortSignal;
};

/** What the load saw: latencies in milliseconds by kind, statuses, and what was wrong. */
export type Seen = {
  latencies: Map<string, number[]>;
  statuses: Map<string, number>;
  problems: string[];
  requests: number;
};

export function nothingSeen(): Seen {
  return { latencies: new Map(), statuses: new Map(), problems: [], requests: 0 };
}

/** One in so many requests is cut off by its caller before the reply. */
const ABORT_EVERY = 50;

/** Sends mixed requests at a steady rate until the signal; what it sees is added to `seen` at once. */
export async function putUnderLoad(parts: LoadParts, seen: Seen): Promise<void> {
  const { connections, rate, signal } = parts;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const pause = (connections / rate) * 1_000;
  const pets = { count: 1 };
  const worker = async (number: number) => {
    await rest((pause * number) / connections, signal);
    let next = performance.now();
    while (!signal.aborted) {
      await askOnce(parts, agent, pets, seen);
      next = Math.max(next + pause, performance.now() - pause);
      await rest(next - performance.now(), signal);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, number) => worker(number)));
  agent.destroy();
}

async function askOnce({ port, keys, random }: LoadParts, agent: Agent, pets: { count: number }, seen: Seen) {
  const call = nextCall(keys, random, pets.count);
  seen.requests += 1;
  const isCutOff = seen.requests % ABORT_EVERY === 0;
  const startedAt = performance.now();
  const outcome = await send(call, port, agent, isCutOff);
  if (isCutOff) return;
  add(seen, call, outcome, performance.now() - startedAt);
  if (call.kind === 'create' && outcome === 201) pets.count += 1;
}

function add(seen: Seen, { kind, expected }: Call, outcome: number | string, milliseconds: number): void {
  const label = `${kind} ${outcome}`;
  seen.statuses.set(label, (seen.statuses.get(label) ?? 0) + 1);
  const latencies = seen.latencies.get(kind) ?? [];
  latencies.push(milliseconds);
  seen.latencies.set(kind, latencies);
  if (typeof outcome === 'string' || !expected.includes(outcome)) seen.problems.push(label);
}

/** Resolves to the status, or to what went wrong on the way. */
function send({ method, path, headers, body }: Call, port: number, agent: Agent, isCutOff: boolean) {
  return new Promise<number | string>((resolve) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent }, (reply) => {
      reply.on('end', () => resolve(reply.statusCode ?? 0));
      reply.on('error', (error) => resolve(error.message));
      reply.resume();
    });
    sent.on('error', (error) => resolve(error.message));
    sent.end(body, () => isCutOff && sent.destroy());
  });
}

async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds > 0) await setTimeout(milliseconds, undefined, { signal }).catch(() => {});
}
