import { join } from 'node:path';
import { type RequestHandler, type Response, Router } from 'express';
import { commonHeaders } from '../http/common-headers.ts';
import type { RequestContext } from '../http/context.ts';
import type { Storage } from '../storage/storage.ts';
import { contractAsJson, contractAsYaml } from './contract.ts';
import { docs } from './docs.ts';
import { alive, ready } from './health.ts';
import { projectFolder } from './project-folder.ts';

/** What stands beside the API: needs no key and counts against no quota. Operations pass it by. */
export function pages(storage: Pick<Storage, 'ping'>, isDraining: () => boolean): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });
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
  return (request, response, next) => {
    if (request.context.route.kind !== 'unknown') return next();
    setCommonHeaders(request.context, response);
    router(request, response, next);
  };
}

/** One by one, since a page changes some of them. */
function setCommonHeaders(context: RequestContext, response: Response): void {
  const headers = commonHeaders(context);
  for (let index = 0; index < headers.length; index += 2) response.set(headers[index] ?? '', headers[index + 1] ?? '');
}

function redirectTo(address: string): RequestHandler {
  return (_request, response) => response.redirect(address);
}

/** A page is only read: its route says so, and the refusal goes the way of all others. */
const onlyRead: RequestHandler = (request, _response, next) => {
  // A page that is not there, such as that of a release that never was, has no methods at all.
  if (request.method === 'GET' || request.method === 'HEAD') return next();
  request.context.route = { kind: 'wrong-method', allow: 'GET, HEAD, OPTIONS' };
  next();
};
