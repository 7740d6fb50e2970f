import type { RequestHandler } from 'express';
import type { Storage } from '../storage/storage.ts';

/** /healthz: the process answers. */
export const alive: RequestHandler = (_request, response) => {
  response.json({ status: 'ok' });
};

/** /readyz: the storage answers and the server is not draining; 503 otherwise, so that a balancer looks elsewhere. */
export function ready(storage: Pick<Storage, 'ping'>, isDraining: () => boolean): RequestHandler {
  return async (_request, response) => {
    if (isDraining()) return void response.status(503).json({ status: 'draining' });
    try {
      await storage.ping();
      response.json({ status: 'ready' });
    } catch {
      response.status(503).json({ status: 'storage unavailable' });
    }
  };
}
