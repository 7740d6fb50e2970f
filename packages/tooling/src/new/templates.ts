import type { OperationFacts, ResponseFacts } from './facts.ts';
import { otherRequest, validRequest } from './requests.ts';

/** The file of an operation, which compiles, but throws until it is written. */
export function operationFile(operation: OperationFacts): string {
  const { id, summary } = operation;
  const inputs = inputsOf(operation);
  const call = inputs.length === 0 ? '' : `{ ${inputs.join(', ')} }: Call<'${id}'>`;
  const message =
    inputs.length === 0
      ? `'${id} is not written yet.'`
      : `\`${id} is not written yet; it was called with \${JSON.stringify({ ${inputs.join(', ')} })}.\``;
  return `import type { ${inputs.length === 0 ? '' : 'Call, '}Result } from './operation.ts';

/** ${asSentence(summary)} */
export async function ${id}(${call}): Promise<Result<'${id}'>> {
  throw new Error(${message});
}
`;
}

/** The parts of the request that the contract describes. */
function inputsOf({ parameters, body }: OperationFacts): string[] {
  const places = ['path', 'query', 'header'].filter((place) => parameters.some((parameter) => parameter.in === place));
  return [...places, ...(body === undefined ? [] : ['body'])];
}

function asSentence(summary: string): string {
  const safe = summary.trim().replaceAll('*/', '* /').replaceAll(/\s+/g, ' ');
  return /[.!?]$/.test(safe) ? safe : `${safe}.`;
}

/** The test of an operation: one describe for each of its own statuses, and the common responses. */
export function testFile(operation: OperationFacts): string {
  const { id, isIdempotent } = operation;
  const blocks = statusBlocks(operation);
  const requests = `, async () => ({ first: valid, other: ${JSON.stringify(otherRequest(operation))} })`;
  return `import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeCommonResponses } from '../../test/common-responses.ts';
import { startTestServer, type TestServer } from '../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const valid = ${JSON.stringify(validRequest(operation))};

${blocks.join('\n')}
describeCommonResponses('${id}', valid${isIdempotent ? requests : ''});
`;
}

/** The error codes that describeCommonResponses tests. */
const commonCodes = new Set([
  ...['api_key_missing', 'api_key_invalid', 'rate_limited', 'key_banned', 'headers_too_large'],
  ...['internal_error', 'service_unavailable', 'malformed_http', 'not_implemented'],
  ...['invalid_json', 'request_timeout', 'body_too_large', 'unsupported_media_type'],
  ...['idempotency_key_in_use', 'idempotency_key_reused', 'insufficient_scope', 'not_acceptable'],
]);
const commonStatuses = new Set([401, 408, 413, 415, 422, 429, 431, 500, 501, 503]);

/** The text of one describe per status that describeCommonResponses does not test. */
function statusBlocks(operation: OperationFacts): string[] {
  return operation.responses.flatMap(({ status, errors }) => {
    const own = errors.filter(({ code }) => !commonCodes.has(code));
    const isCommon = own.length === 0 && (errors.length > 0 || commonStatuses.has(status));
    if (isCommon) return [];
    const tests = testsOf(operation, { status, errors: own }).map((one) => `  ${one}`);
    return [`describe('${status}', () => {\n${tests.join('\n')}});\n`];
  });
}

function testsOf(operation: OperationFacts, { status, errors }: ResponseFacts): string[] {
  if (/^2/.test(String(status))) return [success(operation, status)];
  if (status === 400) return [unknownParameter(operation)];
  if (errors.length === 0) return [refusal(operation, status, undefined)];
  return errors.map((error) => refusal(operation, status, error));
}

function success({ id }: OperationFacts, status: number): string {
  return `test('returns the status of the contract', async () => {
    const response = await server.call('${id}', valid);
    expect(server.log()).not.toContain('${id} is not written yet');
    expect(response.status).toBe(${status});
  });
`;
}

function unknownParameter({ id }: OperationFacts): string {
  return `test('an unknown parameter is rejected', async () => {
    const response = await server.call('${id}', { ...valid, query: { unknown: 'x' } });
    expect(response.status).toBe(400);
  });
`;
}

/** A response that only the operation can explain. For a 404, a high ID in the path is a fair guess. */
function refusal(
  { id, parameters }: OperationFacts,
  status: number,
  error: ResponseFacts['errors'][number] | undefined,
) {
  const ids = parameters.filter(({ in: place, example }) => place === 'path' && typeof example === 'number');
  const isGuessed = status === 404 && ids.length > 0;
  const unknown = ids.map(({ name }) => `${JSON.stringify(name)}: 999_999`).join(', ');
  const request = isGuessed ? `{ ...valid, path: { ...valid.path, ${unknown} } }` : 'valid';
  const reason = error === undefined ? `status ${status}` : `${error.code}: ${error.message}`;
  const title = isGuessed ? reason : `change this request or the stored data until the response is ${reason}`;
  const [seen, wanted] =
    error === undefined
      ? ['response.status', status]
      : ['[response.status, response.body.code]', `[${status}, '${error.code}']`];
  return `test(${JSON.stringify(title)}, async () => {
    const response = await server.call('${id}', ${request});
    expect(${seen}).${error === undefined ? 'toBe' : 'toEqual'}(${wanted});
  });
`;
}

/**
 * The text of operations/index.ts with one more operation: its import, and its name in the order of the contract.
 * Biome sorts the imports.
 *
 * @param order every operationId, in the contract's order
 */
export function withOperation(registry: string, id: string, order: readonly string[]): string {
  const list = /(?<=\boperations: Operations = \{)[^{}]*(?=\})/;
  const found = list.exec(registry);
  if (found === null) throw new Error(`operations/index.ts does not have the expected structure. Add ${id} manually.`);
  const names = found[0].split(',').map((name) => name.trim());
  const present = names.filter((name) => name !== '' && name !== id);
  const following = new Set(order.slice(order.indexOf(id) + 1));
  const place = present.findLastIndex((name) => order.includes(name) && !following.has(name)) + 1;
  const line = `import { ${id} } from './${id}.ts';\n`;
  const imported = registry.includes(line) ? registry : `${line}${registry}`;
  return imported.replace(list, ` ${present.toSpliced(place, 0, id).join(', ')} `);
}
