import type { Socket } from 'node:net';

/** What a connection and its parser share. */
export type PiecewiseInput = {
  /** What follows the piece that Node parses now. */
  rest: Buffer | undefined;
  /** Whether no more is to be parsed for now. */
  readonly isBlocked: boolean;
};

/** The most bytes that Node parses at once: about 20 of the shortest requests. */
const PIECE = 512;

/**
 * Has Node parse the input of a connection in small pieces, and none while it is blocked: Node itself parses a chunk of 64 KiB, which
 * may contain 1,700 requests, before anything else can run. The caller resumes the socket when it is no longer blocked.
 */
export function parseInPieces(socket: Socket, input: PiecewiseInput): void {
  const parsers = socket.listeners('data');
  socket.removeAllListeners('data');
  // With a 'data' listener that is added later, Node no longer lets its parser read from the system by itself.
  socket.on('data', (chunk: Buffer) => {
    input.rest = chunk.length > PIECE ? chunk.subarray(PIECE) : undefined;
    for (const parse of parsers) Reflect.apply(parse, socket, [chunk.subarray(0, PIECE)]);
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
