import { expect, test } from '@jest/globals';
import { PerOrigin } from './own-server.ts';

test('a file that is evicted while it is made is still sent to those who wait for it', async () => {
  const made = new PerOrigin();
  const gate = Promise.withResolvers<void>();
  const make = (size: number) => async () => {
    await gate.promise;
    return Buffer.alloc(size);
  };
  // Together they exceed the 32 MB.
  const waiting = Array.from({ length: 40 }, (_, index) => made.get(`file ${index}`, make(2_000_000)));
  gate.resolve();
  expect((await Promise.all(waiting)).map(({ length }) => length)).toEqual(waiting.map(() => 2_000_000));
});
