/** A reply that is there as a whole. */
export type Reply = { status: number; length: number; text: () => string };

const END_OF_HEAD = Buffer.from('\r\n\r\n');
// The end of `Content-Length: `, however its first letters are written, and of no other header.
const LENGTH = Buffer.from('ength: ');
const ZERO = 48;

/**
 * Puts the chunks of a connection together to replies, one after the other. It looks at no more than it has to, or the
 * load would be what is measured. Each reply has a Content-Length; requests are not pipelined.
 */
export class ReplyReader {
  #received: Buffer | undefined;

  /**
   * The reply that ends with this chunk; undefined until then.
   * @throws Error for one without a length
   */
  read(chunk: Buffer): Reply | undefined {
    const received = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk]);
    const length = lengthOf(received);
    if (length === undefined || received.length < length) {
      this.#received = received;
      return undefined;
    }
    this.#received = undefined;
    return { status: digits(received, 9, 12), length, text: () => received.toString() };
  }
}

/** The bytes of the whole reply; undefined until its head is there. */
function lengthOf(received: Buffer): number | undefined {
  const end = received.indexOf(END_OF_HEAD);
  if (end === -1) return undefined;
  const start = received.indexOf(LENGTH);
  if (start === -1 || start > end) throw new Error(`The reply does not say its length: ${received.toString()}`);
  const from = start + LENGTH.length;
  return end + END_OF_HEAD.length + digits(received, from, received.indexOf('\r', from));
}

function digits(bytes: Buffer, from: number, to: number): number {
  let value = 0;
  for (let index = from; index < to; index += 1) value = value * 10 + (bytes[index] ?? ZERO) - ZERO;
  return value;
}
