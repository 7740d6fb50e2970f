import { Router } from 'express';
import type { Storage } from '../storage/storage.ts';
import { contractAsJson, contractAsYaml, docsPage } from './docs.ts';
import { alive, ready } from './health.ts';

/** What stands beside the API: needs no key and counts against no quota. */
export function pages(storage: Pick<Storage, 'ping'>, isDraining: () => boolean): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router.get('/', (_request, response) => response.redirect('/docs'));
  router.get('/docs', docsPage);
  router.get('/openapi.yaml', contractAsYaml);
  router.get('/openapi.json', contractAsJson);
  router.get('/healthz', alive);
  router.get('/readyz', ready(storage, isDraining));
  return router;
}
