import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contractJson } from '@animal-store/contract/document';
import { type RequestHandler, type Response, Router } from 'express';
import type { RequestContext } from '../http/context.ts';
import { commonHeaders } from '../http/respond.ts';
import { type Storage, StorageUnavailableError } from '../storage/storage.ts';
import { docs } from './docs.ts';

const projectFolder = join(import.meta.dirname, '../../../..');

/** The docs, the contract and the health checks. They need no API key and do not count against a quota. */
export function pages(storage: Pick<Storage, 'ping'>, isDraining: () => boolean): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });
  const handlers: [path: string | RegExp, handler: RequestHandler][] = [
    ['/', redirectTo('/docs/')],
    ['/docs', redirectTo('/docs/')],
    [/^\/docs\//, docs(join(projectFolder, 'dist/docs'))],
    // The conventional path of this file; its links are relative to /docs/.
    ['/llms.txt', redirectTo('/docs/llms.txt')],
    ['/openapi.yaml', contractAsYaml],
    ['/openapi.json', contractAsJson],
    ['/healthz', alive],
    ['/readyz', ready(storage, isDraining)],
  ];
  for (const [path, handler] of handlers) router.route(path).get(handler).all(refuseOtherMethods);
  return (request, response, next) => {
    if (request.context.route.kind !== 'unknown') return next();
    setCommonHeaders(request.context, response);
    router(request, response, next);
  };
}

/** Sets the headers one by one instead of with `writeHead`, because pages change some of them. */
function setCommonHeaders(context: RequestContext, response: Response): void {
  const headers = commonHeaders(context);
  for (let index = 0; index < headers.length; index += 2) response.set(headers[index] ?? '', headers[index + 1] ?? '');
}

function redirectTo(path: string): RequestHandler {
  return (_request, response) => response.redirect(path);
}

/** Turns the route into `wrong-method`, which `requireOperation` answers with 405. */
const refuseOtherMethods: RequestHandler = (request, _response, next) => {
  // The handler found no page, such as that of an unknown release, so this is a 404.
  if (request.method === 'GET' || request.method === 'HEAD') return next();
  request.context.route = { kind: 'wrong-method', allow: 'GET, HEAD, OPTIONS' };
  next();
};

/** /openapi.yaml: the contract as written by hand. */
const contractAsYaml: RequestHandler = async (_request, response) => {
  response.type('application/yaml').send(await readFile(join(projectFolder, 'openapi.yaml'), 'utf8'));
};

/** /openapi.json: the same contract, bundled. */
const contractAsJson: RequestHandler = (_request, response) => {
  response.type('json').send(contractJson);
};

/** /healthz: the process responds. */
const alive: RequestHandler = (_request, response) => {
  response.json({ status: 'ok' });
};

/**
 * /readyz: 200 if requests can be served; 503 with the reason while draining, or if the storage does not take reads and writes,
 * so that a load balancer sends none.
 */
function ready(storage: Pick<Storage, 'ping'>, isDraining: () => boolean): RequestHandler {
  return async (_request, response) => {
    if (isDraining()) return void response.status(503).json({ status: 'draining' });
    try {
      await storage.ping();
      response.json({ status: 'ready' });
    } catch (error) {
      const reason = error instanceof StorageUnavailableError ? error.reason : undefined;
      response.status(503).json({ status: 'storage unavailable', reason });
    }
  };
}
