import { fileURLToPath } from 'node:url';
import { type RequestHandler, type Response, Router } from 'express';
import type { Contract } from '../common/facts.ts';
import type { RequestContext } from '../http/context.ts';
import { commonHeaders } from '../http/respond.ts';
import { type Storage, StorageUnavailableError } from '../storage/storage.ts';
import { docs } from './docs.ts';

export type PageParts = {
  contract: Contract;
  folder: URL;
  storage: Pick<Storage, 'ping'>;
  isDraining: () => boolean;
};

/** The docs, the contract and the health checks. They need no API key, and are not counted. */
export function pages({ contract, folder, storage, isDraining }: PageParts): RequestHandler {
  const { json } = contract;
  const site = fileURLToPath(new URL('dist/docs', folder));
  const router = Router({ strict: true, caseSensitive: true });
  const handlers: [path: string | RegExp, handler: RequestHandler][] = [
    ['/', redirectTo('/docs/')],
    ['/docs', redirectTo('/docs/')],
    [/^\/docs\//, docs(site, contract.contractTitle, ({ context }) => context.origin)],
    // The conventional path of this file; its links are relative to /docs/.
    ['/llms.txt', redirectTo('/docs/llms.txt')],
    ['/openapi.yaml', sendContract(contract.yaml ?? json, 'application/yaml; charset=utf-8')],
    ['/openapi.json', sendContract(json, 'json')],
    ['/healthz', alive],
    ['/readyz', ready(storage, isDraining)],
  ];
  for (const [path, handler] of handlers) router.route(path).all(notePage).get(handler).all(refuseOtherMethods);
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

const notePage: RequestHandler = (request, _response, next) => {
  request.context.route = { kind: 'page' };
  next();
};

/** Turns the route into `wrong-method`, which `requireOperation` answers with 405. */
const refuseOtherMethods: RequestHandler = (request, _response, next) => {
  // The handler found no page, such as that of an unknown release, so this is a 404.
  if (request.method === 'GET' || request.method === 'HEAD') return next();
  request.context.route = { kind: 'wrong-method', allow: 'GET, HEAD, OPTIONS' };
  next();
};

function sendContract(text: string, type: string): RequestHandler {
  // Shared by all responses, because those that no client reads would each keep their own.
  const content = Buffer.from(text);
  return (_request, response) => void response.type(type).send(content);
}

const alive: RequestHandler = (_request, response) => {
  response.json({ status: 'ok' });
};

/**
 * /readyz: 200 if reads can be served; 503 with the reason while draining, or if the storage does not answer, so that a load
 * balancer sends no requests. Writes do not count: they fail on all servers at once, and without a server, reads would fail too.
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
