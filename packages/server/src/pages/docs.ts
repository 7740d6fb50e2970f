import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contractJson } from '@animal-store/contract/document';
import type { RequestHandler, Response } from 'express';
import { type BuiltPage, createPageReader } from './built-page.ts';

/** The project's folder, seen from this file. */
const projectFolder = join(import.meta.dirname, '../../../..');
const docsFolder = join(projectFolder, 'dist/docs');
const readPage = createPageReader();

/** /docs: the reference page, as `npm run docs` built it. Until it is there, a page that loads itself again. */
export const docsPage: RequestHandler = async (request, response) => {
  const page = await readPage(docsFolder);
  if (page === undefined) return sendNotBuilt(response);
  sendPage(page, request.headers, response);
};

/** /docs/VERSION: the reference page of a release. */
export const releasedDocsPage: RequestHandler = async (request, response, next) => {
  const { version } = request.params;
  if (!isVersion(version)) return next();
  const page = await readPage(join(docsFolder, version));
  if (page === undefined) return next();
  sendPage(page, request.headers, response);
};

/** /docs/VERSION/openapi.yaml: the contract of a release. */
export const releasedContract: RequestHandler = async (request, response, next) => {
  const { version } = request.params;
  if (!isVersion(version)) return next();
  const contract = await readFile(join(docsFolder, version, 'openapi.yaml'), 'utf8').catch(() => undefined);
  if (contract === undefined) return next();
  response.type('application/yaml').send(contract);
};

/** A version's name leads to a folder, so it can be nothing else. */
function isVersion(text: string | string[] | undefined): text is string {
  return typeof text === 'string' && /^[0-9]+\.[0-9]+\.[0-9]+$/.test(text);
}

type Conditions = { 'if-none-match'?: string | undefined; 'accept-encoding'?: string | string[] | undefined };

function sendPage(page: BuiltPage, conditions: Conditions, response: Response): void {
  response.set({
    'Content-Security-Policy': page.contentSecurityPolicy,
    'Cache-Control': 'no-cache',
    ETag: page.etag,
    Vary: 'Accept-Encoding',
  });
  if (conditions['if-none-match'] === page.etag) {
    response.status(304).end();
    return;
  }
  response.type('html');
  if (!/\bgzip\b/.test(String(conditions['accept-encoding'] ?? ''))) {
    response.send(page.html);
    return;
  }
  response.setHeader('Content-Encoding', 'gzip').send(page.gzipped);
}

function sendNotBuilt(response: Response): void {
  response.status(503).type('html');
  response.set({ 'Retry-After': '3', 'Content-Security-Policy': notBuiltPolicy }).send(notBuilt);
}

const notBuiltPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="3">
<meta name="viewport" content="width=device-width">
<title>Animal Store: the reference is being built</title>
<body style="font: 1.1rem/1.6 system-ui; max-width: 40rem; margin: 4rem auto; padding: 0 1rem">
<h1>The reference is being built</h1>
<p>This page loads itself again in a few seconds. If it stays, run <code>npm run docs</code>.</p>
<p>The contract is already here: <a href="/openapi.yaml">openapi.yaml</a>, <a href="/openapi.json">openapi.json</a>.</p>
`;

/** /openapi.yaml: the contract as it is written by hand. */
export const contractAsYaml: RequestHandler = async (_request, response) => {
  response.type('application/yaml').send(await readFile(join(projectFolder, 'openapi.yaml'), 'utf8'));
};

/** /openapi.json: the same contract, bundled. */
export const contractAsJson: RequestHandler = (_request, response) => {
  response.type('json').send(contractJson);
};
