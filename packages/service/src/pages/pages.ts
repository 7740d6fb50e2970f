import { createHmac, timingSafeEqual } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Contract } from '../common/contract.ts';
import type { Clock } from '../common/time.ts';
import type { Config } from '../config/config.ts';
import { tooManyRequests } from '../contract/api-error.ts';
import type { RequestContext } from '../http/context.ts';
import { commonHeaders } from '../http/respond.ts';
import { countAddresses } from '../rate-limit/addresses.ts';
import { memoryCounters } from '../rate-limit/limiter.ts';
import { type Storage, StorageUnavailableError } from '../storage/storage.ts';
import { docs } from './docs.ts';
import { keyPage } from './manifest.ts';
import { jsonWithServer, type OwnServer, PerOrigin, yamlWithServer } from './own-server.ts';

/** Requests per IP address. A page of the docs loads at most 10 files, and browsers keep most of them. */
export const pageQuota = { perMinute: 600, perDay: 100_000 };

export type PageParts = {
  contract: Contract;
  /** See ServiceParts. */
  folder: URL;
  storage: Pick<Storage, 'ping'>;
  isDraining: () => boolean;
  clock: Clock;
  config: Pick<Config, 'mode' | 'links'>;
  developmentKey: (() => Promise<string>) | undefined;
};

/**
 * The docs, the contract and the health checks. They need no API key. All except the health checks count against a
 * separate quota, in the memory of this process, so that they need no storage and do not use up the quota of the API. If the contract
 * has no quota for addresses, they are not counted.
 */
export function pages(parts: PageParts): RequestHandler {
  const { contract, folder, storage, isDraining, clock, config, developmentKey } = parts;
  const { basePath, json } = contract;
  const [yaml, yamlWith] = contract.yaml === undefined ? [json, jsonWithServer] : [contract.yaml, yamlWithServer];
  const limit = limitPages(contract, clock);
  const ownServer = ({ context: { origin } }: Request): OwnServer => ({
    origin,
    basePath,
    baseUrl: origin + basePath,
    mode: config.mode,
    keyPrefix: contract.keyPrefix,
  });
  const router = Router({ strict: true, caseSensitive: true });
  const handlers: [path: string | RegExp, ...handlers: RequestHandler[]][] = [
    ['/', limit, redirectTo('/docs/')],
    ['/docs', limit, redirectTo('/docs/')],
    ['/docs/site.json', limit, site(parts)],
    ['/docs/development-key', limit, keyForDocs(developmentKey)],
    [/^\/docs\//, limit, docs(fileURLToPath(new URL('dist/docs', folder)), contract.contractTitle, ownServer)],
    // The conventional path of this file; its links are relative to /docs/.
    ['/llms.txt', limit, redirectTo('/docs/llms.txt')],
    ['/openapi.yaml', limit, sendContract(yaml, 'application/yaml; charset=utf-8', yamlWith, ownServer)],
    ['/openapi.json', limit, sendContract(json, 'json', jsonWithServer, ownServer)],
    ['/healthz', alive],
    ['/readyz', ready(storage, isDraining)],
  ];
  const { keyRequest, security } = config.links;
  if (security !== undefined) handlers.push(['/.well-known/security.txt', limit, securityText(security, clock)]);
  if (keyRequest !== undefined) handlers.unshift([`/docs/${keyPage}`, limit, redirectTo(keyRequest)]);
  for (const [path, ...handler] of handlers) router.route(path).all(notePage).get(handler).all(refuseOtherMethods);
  return (request, response, next) => {
    if (request.context.route.kind !== 'unknown') return next();
    setCommonHeaders(request.context, response);
    router(request, response, next);
  };
}

/** Refuses a page with 429 above the quota. Its headers state this quota; those of other pages state none. */
function limitPages({ anonymousLimits }: Contract, clock: Clock): RequestHandler {
  // The contract then has no error code for it.
  if (anonymousLimits === null) return (_request, _response, next) => next();
  const count = countAddresses(pageQuota, clock, { counters: memoryCounters });
  return async (request, response, next) => {
    const verdict = await count(request.ip ?? '');
    // Node has found the body malformed in the meantime, and client-errors.ts has already responded.
    if (response.headersSent) return;
    if (verdict.outcome === 'allowed') return next();
    request.context.verdict = verdict;
    request.context.isCounted = true;
    next(tooManyRequests(verdict));
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

/** /docs/site.json: the parts of the pages that depend on this server. It contains no secrets. */
function site({ contract: { basePath }, config: { mode, links }, developmentKey }: PageParts): RequestHandler {
  const hasDevelopmentKey = developmentKey !== undefined;
  const urls = Object.fromEntries(Object.entries(links).map(([name, url]) => [`${name}Url`, url]));
  return (request, response) => {
    response.json({ mode, baseUrl: request.context.origin + basePath, hasDevelopmentKey, ...urls });
  };
}

const localHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
const forwardingHeader = /^(forwarded|via|x-real-ip|x-forwarded-.*)$/;
const localAddress = /^(127\.|::1$|::ffff:127\.)/;

/**
 * The token with which the docs of this server get the development key. Derived from the key, so that all servers know it, and
 * open docs keep it over a restart. It does not reveal the key.
 */
export function docsToken(developmentKey: string): string {
  return createHmac('sha256', developmentKey).update('docs').digest().subarray(0, 16).toString('base64url');
}

/**
 * /docs/development-key: the key for trying the API, for the docs that were opened from the URL in the banner, which has the
 * token. Without the token, a proxy on this machine that rewrites Host and adds no headers would look like a local page. The Host
 * header excludes names that an attacker lets point to this machine (DNS rebinding), Sec-Fetch-Site excludes pages of other
 * origins, and the forwarding headers exclude callers of other proxies. All other requests get a 404.
 */
function keyForDocs(developmentKey: PageParts['developmentKey']): RequestHandler {
  return async ({ headers, socket }, response, next) => {
    const isLocal = localHost.test(headers.host ?? '') && localAddress.test(socket.remoteAddress ?? '');
    const isForwarded = Object.keys(headers).some((name) => forwardingHeader.test(name));
    const isOwnPage = headers['sec-fetch-site'] === 'same-origin' && headers['sec-fetch-mode'] !== 'navigate';
    if (developmentKey === undefined || !isLocal || isForwarded || !isOwnPage) return next();
    const key = await developmentKey();
    if (!isEqual(headers['docs-token'], docsToken(key))) return next();
    response.removeHeader('Access-Control-Allow-Origin');
    response.set('Cross-Origin-Resource-Policy', 'same-origin').json({ key });
  };
}

/** Compares in constant time. */
function isEqual(sent: string | string[] | undefined, expected: string): boolean {
  const [left, right] = [Buffer.from(`${sent}`), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * /openapi.yaml and /openapi.json: the complete contract, in two formats. If it does not list this server,
 * it gets the first place, so that programs that read the contract call the server that they got it from.
 */
function sendContract(
  text: string,
  type: string,
  withServer: (text: string, own: OwnServer) => string,
  ownServer: (request: Request) => OwnServer,
): RequestHandler {
  const asWritten = Buffer.from(text);
  const copies = new PerOrigin();
  return async (request, response) => {
    const own = ownServer(request);
    const content = copies.accepts(own.origin)
      ? await copies.get(own.baseUrl, async () => Buffer.from(withServer(text, own)))
      : asWritten;
    response.type(type).send(content);
  };
}

const halfAYear = 180 * 24 * 60 * 60 * 1000;

/** /.well-known/security.txt (RFC 9116), which must state when it is no longer valid. */
function securityText(contact: string, clock: Clock): RequestHandler {
  return ({ context: { origin } }, response) => {
    const lines = [
      `Contact: ${contact}`,
      `Expires: ${new Date(clock() + halfAYear).toISOString()}`,
      'Preferred-Languages: en',
      `Canonical: ${origin}/.well-known/security.txt`,
    ];
    response.type('text/plain').send(`${lines.join('\n')}\n`);
  };
}

/** /healthz: the process responds. */
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
