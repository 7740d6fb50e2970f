import { Agent, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { type Keys, type Random, randomRequest, type SoakRequest } from './requests.ts';

export type SoakLoad = {
  port: number;
  keys: Keys;
  random: Random;
  connections: number;
  /** Requests per second over all connections. */
  rate: number;
  /** Ends the load. */
  signal: AbortSignal;
};

/**
 * The observations of the load: latencies in milliseconds by kind, the count of each status by kind, and the problems.
 */
export type Observations = {
  requests: number;
  latencies: Map<string, number[]>;
  statuses: Map<string, number>;
  problems: string[];
};

/** The client aborts one request of this many before the response arrives. */
const ABORT_EVERY = 50;

/** Sends mixed requests at a steady rate until the signal, and adds each result to the observations at once. */
export async function sendSteadily(load: SoakLoad, observations: Observations): Promise<void> {
  const { connections, rate, signal } = load;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const interval = (connections / rate) * 1_000;
  const pets = { count: 1 };
  const worker = async (number: number) => {
    await sleep((interval * number) / connections, signal);
    let next = performance.now();
    while (!signal.aborted) {
      await sendOne(load, agent, pets, observations);
      next = Math.max(next + interval, performance.now() - interval);
      await sleep(next - performance.now(), signal);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, number) => worker(number)));
  agent.destroy();
}

async function sendOne(
  { port, keys, random }: SoakLoad,
  agent: Agent,
  pets: { count: number },
  observations: Observations,
): Promise<void> {
  const sent = randomRequest({ keys, random, pets: pets.count });
  observations.requests += 1;
  const isAborted = observations.requests % ABORT_EVERY === 0;
  const startedAt = performance.now();
  const outcome = await send(sent, port, agent, isAborted);
  if (isAborted) return;
  observe(observations, sent, outcome, performance.now() - startedAt);
  if (sent.kind === 'create' && outcome === 201) pets.count += 1;
}

function observe(
  { statuses, latencies, problems }: Observations,
  { kind, expected }: SoakRequest,
  outcome: number | string,
  milliseconds: number,
): void {
  const label = `${kind} ${outcome}`;
  statuses.set(label, (statuses.get(label) ?? 0) + 1);
  const ofKind = latencies.get(kind) ?? [];
  ofKind.push(milliseconds);
  latencies.set(kind, ofKind);
  if (typeof outcome === 'string' || !expected.includes(outcome)) problems.push(label);
}

/** Resolves to the status, or to the message of an error. */
function send({ method, path, headers, body }: SoakRequest, port: number, agent: Agent, isAborted: boolean) {
  return new Promise<number | string>((resolve) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', (error) => resolve(error.message));
      response.resume();
    });
    sent.on('error', (error) => resolve(error.message));
    sent.end(body, () => isAborted && sent.destroy());
  });
}

async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds > 0) await setTimeout(milliseconds, undefined, { signal }).catch(() => {});
}
