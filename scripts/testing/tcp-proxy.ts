import { connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** Stands between two programs, and fails them as a network does. */
export type TcpProxy = {
  port: number;
  /** Resets all connections, and takes no new ones until `mend`. */
  cut: () => void;
  /** Holds everything back for so many milliseconds, in both directions. */
  slow: (milliseconds: number) => void;
  /** Passes nothing on, and says so to nobody. */
  hang: () => void;
  /** Passes everything on at once again. */
  mend: () => void;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** A proxy on loopback, on a port of its own, to another port. */
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
      // What is sent later does not overtake what is held back.
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
    mend: () => {
      // Bytes were swallowed: a connection that hung cannot go on.
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
