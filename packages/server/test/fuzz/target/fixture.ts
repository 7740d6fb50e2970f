import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../../../service/src/http/server.ts';
import { createClient } from './sender.ts';
import { CONNECTIONS, type Target } from './target.ts';

/** The faults of the fixture. */
export type FixtureFault = {
  items?: readonly object[];
  end?: string;
  type?: string;
  acceptsAll?: boolean;
  mostBytes?: number;
  key?: 'required';
};

const MOST_BYTES = 2_000;
const codes = {
  invalid_request: 400,
  api_key_missing: 401,
  insufficient_scope: 403,
  method_not_allowed: 405,
  not_acceptable: 406,
  body_too_large: 413,
  unsupported_media_type: 415,
};
type Code = keyof typeof codes;

const error = (...names: Code[]) => ({
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      examples: Object.fromEntries(
        names.map((code) => [code, { value: { code, message: code, status: codes[code] } }]),
      ),
    },
  },
});

const item = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } };

/** Two kinds of operation that the store does not have: a public stream, and a body of bytes. */
export const fixtureContract = {
  security: [{ apiKey: ['read'] }],
  paths: {
    '/items': {
      get: {
        operationId: 'streamItems',
        security: [],
        responses: {
          200: { content: { 'application/x-ndjson': { schema: item, 'x-stream': true } } },
          400: error('invalid_request'),
          406: error('not_acceptable'),
        },
      },
    },
    '/image': {
      put: {
        operationId: 'putImage',
        security: [{ apiKey: ['write'] }],
        requestBody: { required: true, content: { 'image/png': { 'x-max-bytes': MOST_BYTES } } },
        responses: {
          204: {},
          400: error('invalid_request'),
          401: error('api_key_missing'),
          403: error('insufficient_scope'),
          413: error('body_too_large'),
          415: error('unsupported_media_type'),
        },
      },
    },
  },
  components: {
    headers: {},
    schemas: {
      Error: { type: 'object', required: ['code', 'message', 'status'], additionalProperties: true },
      ErrorCode: { 'x-codes': Object.fromEntries(Object.entries(codes).map(([code, status]) => [code, { status }])) },
    },
  },
};

/** A minimal server of that contract. */
export async function startFixture(fault: FixtureFault): Promise<Target> {
  const server = createServer((request, response) => void answer(request, response, fault));
  const url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
  const client = createClient(url, CONNECTIONS);
  return {
    url,
    key: 'write',
    readKey: 'read',
    send: client.send,
    database: '',
    snapshot: () => '',
    [Symbol.asyncDispose]: async () => {
      client.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, fault: FixtureFault): Promise<void> {
  const body = await buffer(request);
  const refuse = (code: Code, details?: object, message: string = code) =>
    response
      .writeHead(codes[code], { 'Content-Type': 'application/json', Allow: allowOf(request) })
      .end(JSON.stringify({ code, message, status: codes[code], ...details }));
  const { method = '', headers } = request;
  const url = new URL(request.url ?? '', 'http://localhost');
  const isStream = url.pathname.endsWith('/items');
  const isOperation = method === 'PUT' ? !isStream : isStream && (method === 'GET' || method === 'HEAD');
  const needsKey = !isStream || !isOperation || fault.key === 'required';
  if (needsKey && headers.authorization === undefined) return void refuse('api_key_missing');
  if (!isOperation) return void refuse('method_not_allowed');
  if (!isStream && headers.authorization === 'Bearer read') return void refuse('insufficient_scope');
  const [name] = url.searchParams.keys();
  if (name !== undefined) {
    return void refuse('invalid_request', {
      details: [{ where: `query/${name.replace(/\[.*/, '')}`, what: 'is unknown' }],
    });
  }
  if (isStream) return stream(request, response, fault, () => refuse('not_acceptable', {}, 'application/x-ndjson'));
  if (body.length === 0) return void refuse('invalid_request', { details: [{ where: 'body', what: 'is required' }] });
  if (headers['content-type'] !== 'image/png' || headers['content-encoding'] !== undefined) {
    return void refuse('unsupported_media_type', {}, 'image/png');
  }
  if (body.length > (fault.mostBytes ?? MOST_BYTES)) return void refuse('body_too_large');
  response.writeHead(204).end();
}

function stream(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  { items = [{ id: 1 }, { id: 2 }], end = '', type = 'application/x-ndjson', acceptsAll = false }: FixtureFault,
  refuse: () => void,
): void {
  const { accept = '*/*' } = headers;
  const isAccepted = /(^|[ ,])(application\/x-ndjson|\*\/\*)(?!;q=0(,|$))/.test(accept);
  if (!isAccepted && !acceptsAll) {
    refuse();
    return;
  }
  response.writeHead(200, { 'Content-Type': type });
  if (method !== 'HEAD') for (const one of items) response.write(`${JSON.stringify(one)}\n`);
  response.end(method === 'HEAD' ? '' : end);
}

function allowOf({ url = '' }: IncomingMessage): string {
  return url.includes('/items') ? 'GET, HEAD, OPTIONS' : 'PUT, OPTIONS';
}
