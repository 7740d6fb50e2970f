import { createServer, type IncomingMessage } from 'node:http';
import { listenOnLoopback } from '../../../testing/src/listen.ts';
import { type ContractDocument, kindOf } from '../../src/contract/document.ts';
import { sampleRequests } from '../../src/docs/samples/request.ts';
import type { SampleRequest } from '../../src/docs/samples/sample-request.ts';
import type { SiteFile } from '../../src/docs/write-site.ts';
import { sendFile } from '../in-browser/static-host.ts';

/** A request that a program sent. */
export type Received = { method: string; url: string; headers: IncomingMessage['headers']; body: Buffer };

/** The bytes of every binary body: a PNG of one pixel, which is not valid text in any encoding. */
export const bytes = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/**
 * A server that responds to each operation of a contract, with or without /v1 in the path, with the contract's example. It records
 * the requests that it receives. It serves files of the docs under /docs/, as the API does.
 */
export async function startContractHost(contract: ContractDocument, files: readonly SiteFile[] = []) {
  const requests = sampleRequests(contract);
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url: target = '', headers } = request;
    const file = files.find(({ path }) => `/docs/${path}` === target);
    if (file !== undefined) return sendFile(file, response);
    const url = target.replace(/^\/v1\//, '/');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ method, url, headers, body: Buffer.concat(chunks) });
    const found = requests.find((one) => one.method === method && patternOf(one).test(url));
    if (found === undefined) return void response.writeHead(404).end('{"code":"route_not_found","message":"No."}');
    const { status, mediaType } = found.response;
    response
      .writeHead(status, {
        ...(mediaType === undefined ? {} : { 'Content-Type': mediaType }),
        ...(status === 201 ? { Location: `${url}/1` } : {}),
      })
      .end(exampleBody(found, streamedItems));
  });
  const { origin, stop } = await listenOnLoopback(server);
  return { url: origin, received, stop };
}

function patternOf({ path }: SampleRequest): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}(\\?|$)`);
}

/** How often the host sends the item of a stream, so that a sample that reads only the first one fails. */
export const streamedItems = 2;

/** The body of a response from the contract's example, with the item of a stream `items` times. */
export function exampleBody({ response }: SampleRequest, items: number): string | Buffer | undefined {
  const { reading, example, mediaType = '' } = response;
  if (reading === 'status') return undefined;
  if (reading === 'file') return bytes;
  const json = JSON.stringify(example);
  if (kindOf(mediaType) === 'lines') return `${json}\n`.repeat(items);
  if (kindOf(mediaType) === 'events') return `event: change\nid: 2\ndata: ${json}\n\n`.repeat(items);
  return reading === 'json' ? json : String(example);
}
