import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createAnimalStore } from '@animal-store/client';
import { renderPage } from './page.tsx';

const { ANIMAL_STORE_KEY: apiKey, ANIMAL_STORE_URL: baseUrl = 'http://127.0.0.1:3000/v1', PORT = '3001' } = process.env;
if (apiKey === undefined) throw new Error('Set ANIMAL_STORE_KEY to an API key.');

/** One client for all requests: they share the quota of the key. */
const store = createAnimalStore({ apiKey, baseUrl, maxRetryAfter: 5_000 });

async function respond({ method, url = '/' }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (method !== 'GET') return void response.writeHead(405).end();
  if (url === '/') {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(await renderPage(store));
  } else if (url === '/browser.js') {
    const script = await readFile(new URL('../browser/browser.js', import.meta.url));
    response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(script);
  } else if (url.startsWith('/v1/pets')) {
    await forward(url.slice('/v1'.length), response);
  } else {
    response.writeHead(404).end();
  }
}

/** Sends a list request of the page to the API, with the key. Only the list of pets, because every visitor may use it. */
async function forward(path: string, response: ServerResponse): Promise<void> {
  const apiResponse = await fetch(`${baseUrl}${path}`, { headers: { Authorization: `Bearer ${apiKey}` } });
  const headers = ['content-type', 'link', 'retry-after'].flatMap((name) => {
    const value = apiResponse.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  response.writeHead(apiResponse.status, Object.fromEntries(headers)).end(Buffer.from(await apiResponse.arrayBuffer()));
}

const server = createServer((request, response) => {
  respond(request, response).catch((error: unknown) => {
    console.error(error);
    response.writeHead(502, { 'Content-Type': 'text/plain' }).end('The animals cannot be loaded at the moment.');
  });
});
server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : PORT}`);
});
