import { createService } from '@contract-first/service';
import { expect, test } from '@jest/globals';
import { Router } from 'express';
import { api as animals } from '../../src/operations/api.ts';
import { api as notes } from './operations/api.ts';

const settings = { NODE_ENV: 'test', PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'silent' };

test('a program starts and stops two services independently, without signal handlers', async () => {
  const handlers = process.listenerCount('SIGTERM');
  const arrived = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const slow = Router().get('/slow', async (_request, response) => {
    arrived.resolve();
    await answer.promise;
    response.send('done');
  });
  const store = await createService(animals).start(settings);
  const field = await createService({ ...notes, middleware: { beforeKey: [slow] } }).start(settings);
  expect(store.url).toBe(`http://127.0.0.1:${store.port}/v1`);
  expect((await fetch(`${store.url}/pets`)).status).toBe(401);
  const waiting = fetch(new URL('/slow', field.url));
  await arrived.promise;
  const stopped = field.stop();
  expect(await store.stop()).toBe(true);
  await expect(fetch(store.url)).rejects.toThrow();
  answer.resolve();
  expect(await (await waiting).text()).toBe('done');
  expect(await stopped).toBe(true);
  expect(process.listenerCount('SIGTERM')).toBe(handlers);
});

test('start rejects wrong settings and a port in use, and releases the database', async () => {
  const service = createService(notes);
  await expect(service.start({ ...settings, PORT: 'x' })).rejects.toThrow('PORT is "x"');
  const server = await service.start(settings);
  await expect(service.start({ ...settings, PORT: String(server.port) })).rejects.toThrow('EADDRINUSE');
  await server.stop();
});
