import { operations as facts, type OperationId } from '@animal-store/contract';
import { type CallParts, recordResponse, type TestResponse, urlOf } from '../../../packages/server/test/harness.ts';

/** Calls an operation through nginx, and holds the reply of the server behind it to the contract. */
export async function callThrough(
  url: string,
  key: string,
  id: OperationId,
  parts: CallParts = {},
): Promise<TestResponse> {
  const { headers, ...reply } = await send(url, key, id, parts);
  // The one header that nginx adds, and cannot be told to leave out.
  headers.delete('server');
  recordResponse(id, reply.status, headers, reply.text);
  return { ...reply, headers };
}

/** The same, where nginx may answer: its refusals lack what only the server knows, such as the quota. */
export async function send(url: string, key: string, id: OperationId, parts: CallParts = {}): Promise<TestResponse> {
  const { body, headers = {} } = parts;
  const response = await fetch(urlOf(url, id, parts), {
    method: facts[id].method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: new Headers(response.headers), text, body: JSON.parse(text) };
}
