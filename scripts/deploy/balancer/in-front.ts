import { createStore, type RunningStore, type Store } from '../../../packages/server/test/faults/store.ts';
import { startNginx, type TestBalancer } from './nginx.ts';

/** Two servers on one database, and nginx in front of them. */
export type Balanced = {
  store: Store;
  servers: [RunningStore, RunningStore];
  balancer: TestBalancer;
  [Symbol.asyncDispose]: () => Promise<void>;
};

export type BalancedParts = {
  /** Settings of both servers. */
  environment: Record<string, string>;
  /** What stands between nginx and the first server; its port is that of the server without it. */
  before?: (port: number) => Promise<number>;
};

export async function startBalanced(nginx: string, { environment, before }: BalancedParts): Promise<Balanced> {
  const stack = new AsyncDisposableStack();
  const store = stack.use(await createStore());
  const settings = { NODE_ENV: 'production', ...environment };
  const first = await store.start({ environment: settings });
  const second = await store.start({ environment: settings });
  const port = Number(new URL(first.url).port);
  const hosts = [`127.0.0.1:${(await before?.(port)) ?? port}`, new URL(second.url).host] as const;
  const balancer = stack.use(await startNginx(nginx, hosts));
  return { store, servers: [first, second], balancer, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** The requests that a server answered, as its log says. */
export function answered(server: RunningStore): { requestId: string; operation: string; status: number }[] {
  return server
    .output()
    .split('\n')
    .flatMap((line) => (line.includes('"requestId"') ? [JSON.parse(line)] : []));
}
