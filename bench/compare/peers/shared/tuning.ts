import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import { batchPerTick } from '../../../server/internals.ts';
import { keepAliveTimeout } from './serve.ts';

/** Whether this peer has the two mechanisms of our server that Fastify does not have by default. */
const isTuned = process.env['TUNED'] === 'true';

/** Options of Fastify for a server that handles the requests of one turn of the event loop together, as ours does. */
export const tunedOptions = isTuned
  ? {
      serverFactory: (handle: RequestListener) =>
        createServer({ keepAliveTimeout }, batchPerTick<IncomingMessage, ServerResponse>(handle)),
    }
  : {};

const cachedHeaders = ['Content-Type', 'ETag', 'Cache-Control', 'Vary', 'Link'];

/** Caches as many pages as our server does, until a pet is added. Call it after the hooks that set headers. */
export function cacheResponses(app: FastifyInstance): void {
  if (!isTuned) return;
  const cache = new LRUCache<string, { headers: Record<string, string>; payload: string }>({ max: 32 });
  app.addHook('preHandler', ({ method, url }, reply, done) => {
    const entry = method === 'GET' ? cache.get(url) : undefined;
    if (entry === undefined) done();
    else reply.headers(entry.headers).send(entry.payload);
  });
  app.addHook('onSend', ({ method, url }, reply, payload, done) => {
    if (method === 'POST') cache.clear();
    else if (reply.statusCode === 200 && typeof payload === 'string' && payload.length >= 1_000) {
      const set = cachedHeaders.filter((name) => reply.hasHeader(name));
      cache.set(url, {
        headers: Object.fromEntries(set.map((name) => [name, String(reply.getHeader(name))])),
        payload,
      });
    }
    done();
  });
}
