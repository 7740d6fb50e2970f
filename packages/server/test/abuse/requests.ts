import { basePath, operations } from '@animal-store/contract';
import { contractDocument, operationIds } from '../contract.ts';
import { fuzzedOperations } from '../fuzz/requests/contract.ts';
import { toHttp } from '../fuzz/requests/request.ts';
import { sampleValidRequests } from '../fuzz/requests/valid.ts';
import { mediaTypeOf } from '../harness.ts';

/** A request as bytes, which may be cut anywhere. */
export function rawRequest(line: string, headers: readonly string[], body = ''): string {
  return [`${line} HTTP/1.1`, 'Host: a', ...headers, '', body].join('\r\n');
}

/** One request to each operation that is valid by contract, as bytes. It need not succeed. */
export function requestPerOperation(key: string): string[] {
  return fuzzedOperations(contractDocument).flatMap((operation) =>
    sampleValidRequests(operation, new Map(), { numRuns: 1, seed: 1 }).map((parts) => {
      const { method, target, headers, body = '' } = toHttp(operation, parts);
      const text = Buffer.from(body).toString('latin1');
      const length = text === '' ? [] : [`Content-Length: ${text.length}`];
      const lines = headers.map(([name, value]) => `${name}: ${value}`);
      return rawRequest(`${method} ${basePath}${target}`, [`Authorization: Bearer ${key}`, ...lines, ...length], text);
    }),
  );
}

/** A call of each operation, with an ID in place of each parameter, and with an empty object as its body. */
export function callPerOperation(): { id: string; url: string; init: (key: string) => RequestInit }[] {
  return operationIds().map((id) => {
    const { method, path, requestBody } = operations[id];
    const headers = requestBody === null ? {} : { 'content-type': mediaTypeOf(id) };
    const body = requestBody === null ? null : '{}';
    const init = (key: string) => ({ method, body, headers: { authorization: `Bearer ${key}`, ...headers } });
    return { id, url: `${basePath}${path.replace(/\{[^}]+\}/g, '1')}`, init };
  });
}
