import { describe, expect, it } from '@jest/globals';
import { ReplyReader } from './reply-reader.ts';

const first = 'HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 4\r\n\r\n[12]';
const second = 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n';

describe('ReplyReader', () => {
  it('gives a reply when its last byte is there, wherever the chunks end', () => {
    for (let cut = 1; cut < first.length; cut += 1) {
      const reader = new ReplyReader();
      expect(reader.read(Buffer.from(first.slice(0, cut)))).toBeUndefined();
      const reply = reader.read(Buffer.from(first.slice(cut)));
      expect(reply).toMatchObject({ status: 200, length: first.length });
      expect(reply?.text()).toBe(first);
    }
  });

  it('reads one reply after the other, however the name of the length is written', () => {
    const reader = new ReplyReader();
    expect(reader.read(Buffer.from(first))?.status).toBe(200);
    expect(reader.read(Buffer.from(second))?.status).toBe(404);
  });

  it('refuses a reply that does not say its length', () => {
    const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    expect(() => new ReplyReader().read(Buffer.from(chunked))).toThrow('does not say its length');
  });
});
