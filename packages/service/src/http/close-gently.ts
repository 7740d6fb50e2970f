import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Bytes to read and discard after the last response: many clients send their whole body before they read the refusal. */
const LINGER_BYTES = 32 * 1_048_576;
/** Milliseconds without a byte after which the connection closes, and until it closes in any case, as in nginx. */
const LINGER_PAUSE = 2_000;
const LINGER_TIME = 5_000;

/**
 * Ends this side of a connection and discards further input until the client ends its own side. If the socket were closed
 * at once, the operating system would reset the connection, and the client might lose a response that it has not read.
 */
export function closeGently(socket: Duplex): void {
  // Detaches the HTTP parser.
  socket.removeAllListeners('data');
  socket.end();
  socket.resume();
  let bytes = 0;
  const pause = setTimeout(() => socket.destroy(), LINGER_PAUSE).unref();
  const discard = (piece: Buffer) => {
    bytes += piece.length;
    pause.refresh();
    if (bytes > LINGER_BYTES) socket.destroy();
  };
  // On the next tick, because this removes Node's own listeners, and its `resume` listener must run first.
  process.nextTick(() => socket.on('data', discard));
  const timer = setTimeout(() => socket.destroy(), LINGER_TIME).unref();
  socket.once('close', () => {
    clearTimeout(timer);
    clearTimeout(pause);
  });
}

/** Ends a request that waits for the rest of its body: Node forgets it once it has a response. */
export function cutOff(request: IncomingMessage | undefined): void {
  if (request === undefined || request.complete || request.destroyed) return;
  request.destroy(
    Object.assign(new Error('The connection closed before the body was complete.'), { code: 'ECONNRESET' }),
  );
}

/** Resolves when a response has been sent, or its connection has closed. Unlike `once` of node:events, it does not reject if one fails. */
export async function sent(response: ServerResponse | undefined, socket: Duplex): Promise<void> {
  if (response === undefined || response.writableFinished) return;
  await new Promise<void>((resolve) => {
    const settle = () => {
      // A connection outlives its responses, and would collect a listener for each.
      for (const stream of [response, socket]) stream.off('close', settle);
      resolve();
    };
    for (const stream of [response, socket]) stream.on('close', settle);
  });
}
