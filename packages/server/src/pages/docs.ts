import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contractJson } from '@animal-store/contract/document';
import type { RequestHandler } from 'express';

/** The project's folder, seen from this file. */
const projectFolder = join(import.meta.dirname, '../../../..');

/** /docs: the reference page, as `npm run docs` built it. Until it is there, a page that loads itself again. */
export const docsPage: RequestHandler = async (_request, response) => {
  const [page, policy] = await Promise.all(['index.html', 'content-security-policy.txt'].map(readBuilt));
  response.type('html');
  if (page === undefined || policy === undefined) {
    response.status(503).setHeader('Retry-After', '3');
    response.setHeader('Content-Security-Policy', notBuiltPolicy).send(notBuilt);
    return;
  }
  response.setHeader('Content-Security-Policy', policy.trim()).send(page);
};

function readBuilt(file: string): Promise<string | undefined> {
  return readFile(join(projectFolder, 'dist/docs', file), 'utf8').catch(() => undefined);
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
