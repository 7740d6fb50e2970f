import type { Socket } from 'node:net';

/** What a connection and its parser share. */
export type PiecewiseInput = {
  /** What follows the piece that Node parses now. */
  rest: Buffer | undefined;
  /** Whether no more is to be parsed for now. */
  readonly isBlocked: boolean;
};

/** About 20 of the shortest requests. */
const PIECE = 512;

/** Ends the headers of a request. */
const BLANK_LINE = '\r\n\r\n';

/**
 * Has Node parse the input of a connection in small pieces, and none while it is blocked: Node itself parses a chunk of 64 KiB, which
 * may contain 1,700 requests, before anything else can run. The caller resumes the socket when it is no longer blocked. Node must be
 * reading from the connection.
 */
export function parseInPieces(socket: Socket, input: PiecewiseInput): void {
  const parsers = socket.listeners('data');
  socket.removeAllListeners('data');
  // With a 'data' listener that is added later, Node no longer lets its parser read from the system by itself.
  socket.on('data', (chunk: Buffer) => {
    const end = endOfPiece(chunk);
    input.rest = end < chunk.length ? chunk.subarray(end) : undefined;
    for (const parse of parsers) Reflect.apply(parse, socket, [chunk.subarray(0, end)]);
    const { rest, isBlocked } = input;
    if (rest === undefined && !isBlocked) return;
    input.rest = undefined;
    // Node pauses a socket whose body or responses are not read, and resumes it.
    const mayContinue = !isBlocked && !socket.isPaused();
    socket.pause();
    if (rest !== undefined) socket.unshift(rest);
    if (mayContinue) socket.resume();
  });
}

/**
 * The first end of headers after so many bytes, or else the last one, or else the end of the chunk. The parser then never waits for
 * the rest of headers while the connection is blocked: the time for them is limited.
 */
function endOfPiece(chunk: Buffer): number {
  const next = chunk.indexOf(BLANK_LINE, PIECE - BLANK_LINE.length);
  const end = next === -1 ? chunk.lastIndexOf(BLANK_LINE) : next;
  return end === -1 ? chunk.length : end + BLANK_LINE.length;
}
