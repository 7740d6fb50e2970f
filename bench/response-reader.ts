type Response = { status: number; text: () => string };

const END_OF_HEAD = Buffer.from('\r\n\r\n');
// The end of `Content-Length: ` in any spelling of its first letters, and of no other header.
const LENGTH = Buffer.from('ength: ');
const ZERO = 48;

/**
 * Assembles the chunks of a connection into responses. It reads as little as possible, because otherwise the load generator
 * would be the bottleneck. Every response must have a Content-Length, and requests must not be pipelined.
 */
export class ResponseReader {
  #received: Buffer | undefined;

  /**
   * The response that ends with this chunk; undefined until then.
   * @throws Error if it has no Content-Length
   */
  read(chunk: Buffer): Response | undefined {
    const received = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk]);
    const length = lengthOf(received);
    if (length === undefined || received.length < length) {
      this.#received = received;
      return undefined;
    }
    this.#received = undefined;
    return { status: digits(received, 9, 12), text: () => received.toString() };
  }
}

/** The number of bytes of the whole response; undefined until its headers are complete. */
function lengthOf(received: Buffer): number | undefined {
  const end = received.indexOf(END_OF_HEAD);
  if (end === -1) return undefined;
  const start = received.indexOf(LENGTH);
  if (start === -1 || start > end) throw new Error(`The response has no Content-Length: ${received.toString()}`);
  const from = start + LENGTH.length;
  return end + END_OF_HEAD.length + digits(received, from, received.indexOf('\r', from));
}

function digits(bytes: Buffer, from: number, to: number): number {
  let value = 0;
  for (let index = from; index < to; index += 1) value = value * 10 + (bytes[index] ?? ZERO) - ZERO;
  return value;
}
