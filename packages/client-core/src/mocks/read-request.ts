import { readParameter } from '../parameters.ts';
import { type Problem, problemsOf } from '../problems.ts';
import { type MockedContract, type MockedOperation, Refusal } from './contract.ts';

type Values = Record<string, unknown>;
type Input = { path: Values; query: Values; header: Values; body: unknown };

/**
 * The parameters and the body of a request, typed and with defaults, as an operation of the API receives them.
 *
 * @param path the values of the path parameters, decoded
 * @throws Refusal as the API would: 400, 413, 415 or 428
 */
export async function readRequest(
  contract: MockedContract,
  id: string,
  request: Request,
  path: Readonly<Record<string, unknown>>,
): Promise<Input> {
  const { operations, requestSchemas, definitions } = contract;
  const operation = operations[id];
  const { parameters, bodies } = requestSchemas[id] ?? { parameters: [], bodies: {} };
  const body = operation === undefined ? undefined : await readBody(request, operation);
  const { searchParams } = new URL(request.url);
  const input: Input = { path: {}, query: { ...operation?.defaults }, header: {}, body: body?.value };
  const problems = unknownIn(searchParams, new Set(parameters.map(({ name }) => name)));
  let lacksIfMatch = false;
  for (const { name, in: place, required, schema } of parameters) {
    const where = `${place}/${name}`;
    const sent = place === 'query' ? searchParams.getAll(name) : [sentAt(place, name, request, path)].flat();
    const isMissing = sent.length === 0 && required;
    if (isMissing && isIfMatch(name, place)) lacksIfMatch = true;
    else if (isMissing) problems.push({ where, what: 'is required' });
    if (sent.length === 0 || problems.some((problem) => problem.where === where)) continue;
    const read = readParameter(sent, schema, definitions, where);
    problems.push(...read.problems);
    if (read.problems.length === 0) valuesAt(input, place)[name] = read.value;
  }
  const schema = bodies[body?.mediaType ?? ''];
  if (schema !== undefined && (body?.kind === 'json' || body?.kind === 'text')) {
    problems.push(...problemsOf(body.value, schema, definitions, 'body'));
  }
  if (problems.length > 0) throw invalidRequest(problems);
  if (lacksIfMatch) throw preconditionRequired();
  return input;
}

function valuesAt({ path, query, header }: Input, place: string): Values {
  if (place === 'query') return query;
  return place === 'path' ? path : header;
}

function sentAt(place: string, name: string, { headers }: Request, path: Readonly<Values>): string[] {
  const value = place === 'path' ? path[name] : headers.get(name);
  return value === null || value === undefined ? [] : [String(value)];
}

/** Query parameters that the operation does not have. */
function unknownIn(query: URLSearchParams, known: ReadonlySet<string>): Problem[] {
  const names = [...new Set(query.keys())].filter((name) => !known.has(name));
  return names.map((name) => ({ where: `query/${name}`, what: 'is unknown' }));
}

type Body = { mediaType: string; kind: string; value: unknown };

/** The body of a request by its media type: a value for JSON, FormData for a form, a string for text, a Blob for anything else. */
async function readBody(request: Request, { requestBody }: MockedOperation): Promise<Body | undefined> {
  if (requestBody === null) return undefined;
  const blob = await request.blob();
  if (blob.size === 0) {
    if (requestBody.required) throw invalidRequest([{ where: 'body', what: 'is required' }]);
    return undefined;
  }
  const mediaType = (request.headers.get('Content-Type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const known = requestBody.mediaTypes[mediaType];
  if (known === undefined) {
    const accepted = Object.keys(requestBody.mediaTypes).map((type) => `"Content-Type: ${type}"`);
    throw new Refusal(
      'unsupported_media_type',
      `The Content-Type is missing or not supported. Send the body as ${accepted.join(' or ')}.`,
    );
  }
  const { kind, maxBytes } = known;
  if (blob.size > maxBytes)
    throw new Refusal('body_too_large', `The body is larger than ${maxBytes} bytes. Send a smaller body.`);
  if (kind === 'form') {
    const headers = { 'Content-Type': request.headers.get('Content-Type') ?? '' };
    return { mediaType, kind, value: await new Response(blob, { headers }).formData() };
  }
  if (kind === 'json') return { mediaType, kind, value: parseJson(await blob.text()) };
  return { mediaType, kind, value: kind === 'text' ? await blob.text() : blob };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : '';
    throw new Refusal('invalid_json', `The body is not valid JSON in UTF-8: ${reason}.`);
  }
}

/** The API responds to a request without a required If-Match with 428, not with 400 (RFC 6585, section 3). */
function isIfMatch(name: string, place: string): boolean {
  return place === 'header' && name.toLowerCase() === 'if-match';
}

function preconditionRequired(): Refusal {
  const message = 'If-Match is missing. Send the ETag of the version that you want to change, or * for any version.';
  return new Refusal('precondition_required', message);
}

function invalidRequest(problems: readonly Problem[]): Refusal {
  const named = problems.map(({ where, what }) => `${where} ${what}`).join('; ');
  return new Refusal('invalid_request', `The request is invalid: ${named}.`, problems);
}
