import type { OperationFacts, ReplyFacts } from '../contract/facts.ts';
import { wrongRequests } from './wrong-requests.ts';

/** What describeCommonReplies brings about by itself, by error code. */
const commonCodes = new Set([
  ...['api_key_missing', 'api_key_invalid', 'rate_limited', 'key_banned', 'headers_too_large'],
  ...['internal_error', 'service_unavailable', 'malformed_http'],
  ...['invalid_json', 'request_timeout', 'body_too_large', 'unsupported_media_type'],
  ...['idempotency_key_in_use', 'idempotency_key_reused'],
]);
const commonStatuses = new Set([401, 408, 413, 415, 422, 429, 431, 500, 503]);

/** One describe per status that is the operation's own, as text. */
export function statusBlocks(operation: OperationFacts): string[] {
  return operation.replies.flatMap(({ status, errors }) => {
    const own = errors.filter(({ code }) => !commonCodes.has(code));
    const isCommon = own.length === 0 && (errors.length > 0 || commonStatuses.has(status));
    if (isCommon) return [];
    return [`describe('${status}', () => {\n${testsOf(operation, { status, errors: own }).join('\n')}});\n`];
  });
}

function testsOf(operation: OperationFacts, { status, errors }: ReplyFacts): string[] {
  if (status < 300) return successes(operation, status);
  if (status === 400) return [refusalsOfWrongRequests(operation)];
  if (status === 410 && operation.sunset !== undefined) return [removal(operation, operation.sunset)];
  if (errors.length === 0) return [refusal(operation, status, undefined)];
  return errors.map((error) => refusal(operation, status, error));
}

function successes({ id, parameters }: OperationFacts, status: number): string[] {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const pair = ({ name, example }: { name: string; example: string | number }) =>
    new URLSearchParams([[name, String(example)]]).toString();
  const always = inQuery.filter(({ isRequired }) => isRequired).map(pair);
  const queries = inQuery.filter(({ isRequired }) => !isRequired).map((one) => [...always, pair(one)].join('&'));
  const example = `test('answers the example of the contract', async () => {
    const reply = await server.call('${id}', valid);
    expect(server.log()).not.toContain('${id} is not written yet');
    expect(reply.status).toBe(${status});
  });
`;
  if (queries.length === 0) return [example];
  return [
    example,
    `test.each(${JSON.stringify(queries)})('with ?%s', async (query) => {
    const reply = await server.call('${id}', { ...valid, query });
    expect(reply.status).toBe(${status});
  });
`,
  ];
}

function refusalsOfWrongRequests(operation: OperationFacts): string {
  return `const wrong: [where: string, request: CallParts][] = [${wrongRequests(operation).join(', ')}];

  test.each(wrong)('a wrong %s is refused, and named', async (where, request) => {
    const reply = await server.call('${operation.id}', request);
    expect(reply.status).toBe(400);
    expect(reply.body.details.map((detail: { where: string }) => detail.where)).toContain(where);
  });
`;
}

function removal({ id }: OperationFacts, sunset: string): string {
  return `test('from the sunset on the operation is gone', async () => {
    const today = server.clock.now;
    server.clock.now = Date.parse('${sunset}');
    const reply = await server.call('${id}', valid);
    server.clock.now = today;
    expect([reply.status, reply.body.code]).toEqual([410, 'operation_removed']);
  });
`;
}

/** A refusal that only the operation knows the reason of. Where a path has an id, none with a high one is a fair guess. */
function refusal({ id, parameters }: OperationFacts, status: number, error: ReplyFacts['errors'][number] | undefined) {
  const ids = parameters.filter(({ in: place, example }) => place === 'path' && typeof example === 'number');
  const isGuessed = status === 404 && ids.length > 0;
  const unknown = ids.map(({ name }) => `${JSON.stringify(name)}: 999_999`).join(', ');
  const request = isGuessed ? `{ ...valid, path: { ...valid.path, ${unknown} } }` : 'valid';
  const reason = error === undefined ? `status ${status}` : `${error.code}: ${error.message}`;
  const title = isGuessed ? reason : `change this request, or the store before it, until it gives ${reason}`;
  const [seen, wanted] =
    error === undefined
      ? ['reply.status', status]
      : ['[reply.status, reply.body.code]', `[${status}, '${error.code}']`];
  return `test(${JSON.stringify(title)}, async () => {
    const reply = await server.call('${id}', ${request});
    expect(${seen}).${error === undefined ? 'toBe' : 'toEqual'}(${wanted});
  });
`;
}
