import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BodyKind } from '../common/facts.ts';

/** Milliseconds that a streamed response waits for the caller to continue reading. */
const STALL_TIME = 60_000;
/** Milliseconds until the first comment of an event stream without events, so that the caller gets the headers. */
const FIRST_COMMENT = 1_000;
/** Milliseconds between further comments. They keep proxies from closing the connection, and notice that a caller is gone. */
const COMMENT_INTERVAL = 15_000;
/** The most listeners of one event of a streamed response: 11 are in use. */
const MAX_LISTENERS = 15;
/** A server-sent event that clients ignore. */
const COMMENT = ':\n\n';

export type StreamedResponse = {
  status: number;
  headers: OutgoingHttpHeaders | string[];
  items: AsyncIterable<unknown>;
  kind: BodyKind;
  /** Without a body, for HEAD. */
  isHead: boolean;
  /** @throws if the item is not as documented */
  checkItem: (item: unknown) => void;
  onStart: () => void;
  /** Called when the operation fails after its first item, before the connection closes. */
  onFailure: (error: unknown) => void;
};

/**
 * Sends a body piece by piece, as fast as the caller reads it. The stream ends when the caller disconnects; an event stream also
 * ends when the server stops. Rejects if the operation fails, and resolves if the caller disconnects.
 */
export async function sendStream(response: ServerResponse, streamed: StreamedResponse): Promise<void> {
  const { status, headers, kind, isHead } = streamed;
  const failures: unknown[] = [];
  const fail = (error: unknown) => {
    if (response.destroyed) return;
    failures.push(error);
    if (response.headersSent) streamed.onFailure(error);
  };
  const encoded = encode(streamed, fail);
  const events = kind === 'events' ? withComments(encoded) : undefined;
  const pieces = events?.pieces ?? encoded;
  registerStream(response, { stop: () => events?.end(), leavesWithEnd: kind === 'events' });
  response.once('close', () => events?.end());
  // Read before the headers are sent, so that the response to a failure at the start is an error.
  const first = await pieces.next().catch(() => undefined);
  if (failures.length > 0) throw failures[0];
  if (first === undefined || response.destroyed) return void (await pieces.return(undefined));
  response.writeHead(status, headers);
  streamed.onStart();
  if (isHead) {
    await pieces.return(undefined);
    return void response.end();
  }
  response.setTimeout(STALL_TIME, () => {
    const { socket } = response;
    const isWaiting = response.writableNeedDrain || (socket?.writableLength ?? 0) > 0;
    if (isWaiting || socket?.readableEnded === true) response.destroy();
  });
  // Together with those of the app, the listeners of `pipeline` exceed Node's default of 10. A leak still causes a warning.
  response.setMaxListeners(MAX_LISTENERS);
  try {
    await pipeline(Readable.from(resume(first, pieces), { objectMode: true }), response);
  } catch {
    // Without a failure of the operation, the caller disconnected before the end.
    if (failures.length > 0) throw failures[0];
  }
}

const stops = new WeakMap<Duplex, () => void>();

/** Whether a connection sends a streamed response. The limit on the response time does not hold for it: each wait has a limit. */
export function isStreaming(socket: Duplex): boolean {
  return stops.has(socket);
}

export function stopStream(socket: Duplex): void {
  stops.get(socket)?.();
}

type StreamOptions = {
  stop: () => void;
  /** Whether a caller that closes its side of the connection counts as disconnected, although it could still read. */
  leavesWithEnd: boolean;
};

function registerStream(response: ServerResponse, { stop, leavesWithEnd }: StreamOptions): void {
  const { socket } = response;
  // The caller is gone: a request starts only after the responses before it, so its response has the socket until it closes.
  if (socket === null) return;
  stops.set(socket, stop);
  const leave = () => response.destroy();
  if (leavesWithEnd) socket.once('end', leave);
  response.once('close', () => {
    socket.off('end', leave);
    stops.delete(socket);
  });
}

async function* resume<Piece>(first: IteratorResult<Piece>, rest: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
  try {
    if (first.done === true) return;
    yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** Encodes the items of a stream: a line of JSON, a server-sent event, or unchanged text and bytes. */
async function* encode(
  { items, kind, checkItem }: StreamedResponse,
  fail: (error: unknown) => void,
): AsyncGenerator<string | Uint8Array> {
  try {
    for await (const item of items) {
      checkItem(item);
      if (kind === 'lines') yield `${JSON.stringify(item)}\n`;
      else if (kind === 'events') yield `data: ${JSON.stringify(item)}\n\n`;
      else if (typeof item === 'string' || item instanceof Uint8Array) yield item;
      else throw new TypeError(`A stream of this media type consists of text or bytes, not of ${typeof item}.`);
    }
  } catch (error) {
    fail(error);
    throw error;
  }
}

/** Adds a comment wherever an event stream would be silent for long. `end` ends it, even while it waits for an event. */
function withComments<Piece>(events: AsyncGenerator<Piece>): {
  pieces: AsyncGenerator<Piece | string>;
  end: () => void;
} {
  let isEnded = false;
  let wake = () => {};
  const end = () => {
    isEnded = true;
    wake();
  };

  async function* pieces(): AsyncGenerator<Piece | string> {
    let silence = FIRST_COMMENT;
    let next = events.next();
    try {
      for (;;) {
        const result = await firstOf(next, silence);
        if (isEnded || result?.done === true) return;
        silence = COMMENT_INTERVAL;
        if (result === undefined) {
          yield COMMENT;
        } else {
          yield result.value;
          next = events.next();
        }
      }
    } finally {
      // Not awaited: the operation may still wait for its next event.
      next.catch(() => {});
      events.return(undefined).catch(() => {});
    }
  }

  /** The next event; undefined after some time without one, or at the end. */
  function firstOf(next: Promise<IteratorResult<Piece>>, milliseconds: number) {
    return new Promise<IteratorResult<Piece> | undefined>((resolve, reject) => {
      const timer = setTimeout(resolve, milliseconds, undefined);
      wake = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
      if (isEnded) wake();
      next.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  return { pieces: pieces(), end };
}
