import { type FuzzedErrors, type FuzzedOperation, type FuzzedResponse, isJson } from '../requests/contract.ts';
import { isRecord } from '../schemas/schema.ts';
import { errorsOf } from '../schemas/validate.ts';
import type { HttpResponse } from '../target/sender.ts';

/** Headers of HTTP itself and of the connection, which no contract lists. */
const plainHeaders =
  /^(access-control-.*|allow|cache-control|connection|content-length|content-type|date|keep-alive|transfer-encoding|vary|x-content-type-options|x-example-response)$/;

/** The problems of a response of an operation, one sentence each. This shares no code with the server. */
export function responseProblems(operation: FuzzedOperation, response: HttpResponse): string[] {
  const documented = operation.responses.get(response.status);
  if (documented === undefined) return [`the status ${response.status} is not documented`];
  return [
    ...headerProblems(documented.headers, response),
    ...bodyProblems(documented, response),
    ...(response.status < 400 ? [] : errorProblems(operation.errors, response, documented.codes)),
  ];
}

/** The same for HEAD: the headers of GET, and no body. */
export function headResponseProblems(operation: FuzzedOperation, response: HttpResponse): string[] {
  const documented = operation.responses.get(response.status);
  const isUndefined = response.status === 405 && !operation.allowed.includes('HEAD');
  return [
    ...(documented === undefined && !isUndefined ? [`the status ${response.status} is not documented`] : []),
    ...(documented === undefined ? [] : headerProblems(documented.headers, response)),
    ...(response.text === '' ? [] : ['a response to HEAD has a body']),
  ];
}

/** The same for a request that matches no operation. */
export function unmatchedProblems({ errors }: FuzzedOperation, response: HttpResponse): string[] {
  const everyResponse = /^X-(RateLimit-.*|Request-Id)$/;
  const headers = errors.headers
    .filter(({ name }) => name !== 'Cache-Control')
    .map((header) => ({ ...header, required: everyResponse.test(header.name) }));
  const media = [{ type: 'application/json', schema: errors.schema }];
  return [
    ...headerProblems(headers, response),
    ...bodyProblems({ headers, media, codes: [] }, response),
    ...errorProblems(errors, response, [...errors.statuses.keys()]),
  ];
}

function headerProblems(documented: FuzzedResponse['headers'], { headers }: HttpResponse): string[] {
  const known = new Set(documented.map(({ name }) => name.toLowerCase()));
  const surplus = [...headers.keys()].filter((name) => !known.has(name) && !plainHeaders.test(name));
  return [
    ...documented.flatMap(({ name, required, schema }) => {
      const value = headers.get(name);
      if (value === null) return required ? [`the header ${name} is missing`] : [];
      const isNumber = 'type' in schema && (schema.type === 'integer' || schema.type === 'number');
      const read = isNumber && /^-?[0-9]+(\.[0-9]+)?$/.test(value) ? Number(value) : value;
      return errorsOf(schema, read).map(({ message }) => `the header ${name} ${message}`);
    }),
    ...surplus.map((name) => `the header ${name} is not documented`),
  ];
}

function bodyProblems({ media }: FuzzedResponse, response: HttpResponse): string[] {
  const { text, headers } = response;
  const sent = headers.get('content-type');
  if (media.length === 0) {
    return [
      ...(text === '' ? [] : ['it has a body, and none is documented']),
      ...(sent === null ? [] : [`it has no body, and the Content-Type ${sent}`]),
    ];
  }
  const type = (sent ?? '').split(';')[0]?.trim().toLowerCase();
  const found = media.find((candidate) => candidate.type === type);
  if (found === undefined)
    return [`the Content-Type should be ${media.map((one) => one.type).join(' or ')}, and is ${sent}`];
  const { schema } = found;
  if (schema === undefined) return [];
  const { value, problems } = isJson(found.type) ? parsed(text) : { value: text, problems: [] };
  const wrong = problems.length > 0 ? [] : errorsOf(schema, value);
  return [
    ...problems,
    ...wrong.map(({ instancePath, message, params }) => `body${instancePath} ${message}${nameIn(params)}`),
  ];
}

function nameIn(params: Record<string, unknown>): string {
  const name = params['unevaluatedProperty'] ?? params['additionalProperty'];
  return name === undefined ? '' : ` (${name})`;
}

function parsed(text: string): { value?: unknown; problems: string[] } {
  try {
    return { value: JSON.parse(text), problems: [] };
  } catch (error) {
    return { problems: [`the body is not JSON: ${error instanceof Error ? error.message : error}`] };
  }
}

/** What a schema cannot express: the code is one of the documented ones, and code, body and response have one status. */
function errorProblems({ statuses }: FuzzedErrors, { status, text }: HttpResponse, codes: string[]): string[] {
  const { value: body } = parsed(text);
  if (!isRecord(body)) return [];
  const code = String(body['code']);
  return [
    ...(codes.includes(code) ? [] : [`the code ${code} is not documented for the status ${status}`]),
    ...(statuses.get(code) === status ? [] : [`the code ${code} belongs to the status ${statuses.get(code)}`]),
    ...(body['status'] === status ? [] : [`the body says the status ${body['status']}`]),
  ];
}
