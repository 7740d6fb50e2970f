import { join } from 'node:path';
import { type RequestHandler, Router } from 'express';
import type { Storage } from '../storage/storage.ts';
import { contractAsJson, contractAsYaml } from './contract.ts';
import { docs } from './docs.ts';
import { alive, ready } from './health.ts';
import { projectFolder } from './project-folder.ts';

/** What stands beside the API: needs no key and counts against no quota. */
export function pages(storage: Pick<Storage, 'ping'>, isDraining: () => boolean): Router {
  const router = Router({ strict: true, caseSensitive: true });
  // What is malformed is refused further on, as everywhere.
  router.use((request, _response, next) => next(request.exchange.route.kind === 'malformed' ? 'router' : undefined));
  const allPages: [path: string | RegExp, page: RequestHandler][] = [
    ['/', redirectTo('/docs/')],
    ['/docs', redirectTo('/docs/')],
    [/^\/docs\//, docs(join(projectFolder, 'dist/docs'))],
    // Where machines look for it first; its links are relative to the docs.
    ['/llms.txt', redirectTo('/docs/llms.txt')],
    ['/openapi.yaml', contractAsYaml],
    ['/openapi.json', contractAsJson],
    ['/healthz', alive],
    ['/readyz', ready(storage, isDraining)],
  ];
  for (const [path, page] of allPages) router.route(path).get(page).all(onlyRead);
  return router;
}

function redirectTo(address: string): RequestHandler {
  return (_request, response) => response.redirect(address);
}

/** A page is only read: its route says so, and the refusal goes the way of all others. */
const onlyRead: RequestHandler = (request, _response, next) => {
  // A page that is not there, such as that of a release that never was, has no methods at all.
  if (request.method === 'GET' || request.method === 'HEAD') return next();
  request.exchange = { ...request.exchange, route: { kind: 'wrong-method', allow: 'GET, HEAD, OPTIONS' } };
  next();
};
