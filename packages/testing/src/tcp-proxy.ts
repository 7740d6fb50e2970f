import { connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** A proxy between two programs that simulates network failures. */
export type TcpProxy = {
  port: number;
  /** Resets all connections, and accepts no new ones until `restore`. */
  cut: () => void;
  /** Delays all data by that many milliseconds, in both directions. */
  slow: (milliseconds: number) => void;
  /** Passes nothing on, without an error. */
  hang: () => void;
  /** Passes everything on without delay again. */
  restore: () => void;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** Starts a proxy on a free loopback port to another port. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let delay = 0;

  const server = createServer((near) => {
    if (isCut) return void near.resetAndDestroy();
    const far = connect(target, '127.0.0.1');
    pass(near, far);
    pass(far, near);
  });

  function pass(from: Socket, to: Socket): void {
    sockets.add(from);
    const send = (bytes: Buffer) => {
      if (to.writable) to.write(bytes);
    };
    let before = Promise.resolve();
    from.on('data', (bytes) => {
      if (delay === Number.POSITIVE_INFINITY) return;
      const held = delay === 0 ? undefined : setTimeout(delay, undefined, { ref: false });
      // Later data must not overtake delayed data.
      before = before.then(() => held).then(() => send(bytes));
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');

  const reset = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };

  return {
    port: address.port,
    cut: () => {
      isCut = true;
      reset();
    },
    slow: (milliseconds) => {
      delay = milliseconds;
    },
    hang: () => {
      delay = Number.POSITIVE_INFINITY;
    },
    restore: () => {
      // Bytes were dropped, so a connection that hung cannot continue.
      if (delay === Number.POSITIVE_INFINITY) reset();
      isCut = false;
      delay = 0;
    },
    [Symbol.asyncDispose]: async () => {
      reset();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
