import type { Response } from 'express';

/** Stands in for the docs until they are built: it loads itself again. */
export function sendNotBuilt(response: Response): void {
  response.status(503).type('html');
  response.set({ 'Retry-After': '3', 'Content-Security-Policy': policy }).send(page);
}

const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="3">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Animal Store: the docs are being built</title>
<body style="font: 1.1rem/1.6 system-ui; max-width: 40rem; margin: 4rem auto; padding: 0 1rem">
<h1>The docs are being built</h1>
<p>This page loads itself again in a few seconds. If it stays, run <code>npm run docs</code>.</p>
<p>The contract is already here: <a href="/openapi.yaml">openapi.yaml</a>, <a href="/openapi.json">openapi.json</a>.</p>
`;
