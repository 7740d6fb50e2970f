import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** How the connection between a server and its database behaves. */
export type Network =
  | { kind: 'open' }
  /** Delays each piece by this many milliseconds. */
  | { kind: 'slow'; delay: number }
  /** Passes nothing on, and reports no error: like a machine without power. */
  | { kind: 'silent' }
  /** Connections are closed, and new ones refused. */
  | { kind: 'cut' };

export type TestProxy = {
  port: number;
  /** Returns how many pieces that clients sent since contain the text. */
  count: (text: string) => () => number;
  /** Changes the network, also for open connections. */
  set: (network: Network) => void;
  /** Cuts the next connection whose query contains the text: the database gets the query, but its answer is lost. */
  cutAfter: (text: string) => Promise<void>;
  stop: () => Promise<void>;
};

/** Starts a proxy on loopback in front of a port, which can behave like a bad network. */
export async function startProxy(port: number): Promise<TestProxy> {
  let network: Network = { kind: 'open' };
  const sockets = new Set<Socket>();
  const counted: { text: string; count: number }[] = [];
  const cuts: { text: string; done: () => void }[] = [];

  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };

  async function pass(from: Socket, to: Socket, isQuery: boolean): Promise<void> {
    for await (const piece of from) {
      for (const one of counted) if (isQuery && Buffer.from(piece).includes(one.text)) one.count += 1;
      if (network.kind === 'slow') await setTimeout(network.delay, undefined, { ref: false });
      if (network.kind === 'silent') continue;
      to.write(piece);
      const cut = isQuery ? cuts.findIndex(({ text }) => Buffer.from(piece).includes(text)) : -1;
      if (cut < 0) continue;
      const [found] = cuts.splice(cut, 1);
      from.destroy();
      found?.done();
    }
    to.end();
  }

  const server = createServer((client) => {
    if (network.kind === 'cut') return void client.resetAndDestroy();
    const database = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroySoon();
      });
      pass(socket, other, socket === client).catch(() => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The operating system assigned no port.');

  return {
    port: address.port,
    count(text) {
      const one = { text, count: 0 };
      counted.push(one);
      return () => one.count;
    },
    set(next) {
      network = next;
      if (network.kind === 'cut') cutAll();
    },
    cutAfter: (text) => new Promise((done) => void cuts.push({ text, done })),
    async stop() {
      cutAll();
      server.close();
      await once(server, 'close');
    },
  };
}
