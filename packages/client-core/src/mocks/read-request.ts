import { definitionAt, type Problem, problemsOf } from '../problems.ts';
import { type MockedContract, type MockedOperation, type ParameterSchema, Refusal } from './contract.ts';
import type { Sent } from './respond.ts';

type Values = Record<string, unknown>;
type Input = { path: Values; query: Values; header: Values; body: unknown };

/**
 * The parameters and the body of a request, typed and with defaults, as an operation of the API receives them.
 *
 * @throws Refusal with the problems of the request
 */
export async function readRequest(contract: MockedContract, { id, request, path }: Sent): Promise<Input> {
  const { operations, requestSchemas, definitions } = contract;
  const operation = operations[id];
  const { parameters, bodies } = requestSchemas[id] ?? { parameters: [], bodies: {} };
  const body = await readBody(request, operation?.requestBody ?? null);
  const { searchParams } = new URL(request.url);
  const input: Input = { path: {}, query: { ...operation?.defaults }, header: {}, body: body?.value };
  const problems: Problem[] = [...new Set(searchParams.keys())]
    .filter((name) => !parameters.some((parameter) => parameter.name === name))
    .map((name) => ({ where: `query/${name}`, what: 'is unknown' }));
  for (const { name, in: place, required, schema } of parameters) {
    const where = `${place}/${name}`;
    const value = place === 'path' ? path[name] : request.headers.get(name);
    const sent = place === 'query' ? searchParams.getAll(name) : [value ?? []].flat().map(String);
    if (sent.length === 0 && required) problems.push({ where, what: 'is required' });
    if (sent.length === 0) continue;
    const read = typed(sent, schema, definitions);
    const values = place === 'query' ? input.query : place === 'path' ? input.path : input.header;
    values[name] = read;
    problems.push(...problemsOf(read, schema, definitions, where));
  }
  const schema = bodies[body?.mediaType ?? ''];
  if (schema !== undefined && (body?.kind === 'json' || body?.kind === 'text')) {
    problems.push(...problemsOf(body.value, schema, definitions, 'body'));
  }
  if (problems.length > 0) throw invalidRequest(problems);
  return input;
}

/** A parameter in the type of its schema; text that cannot be converted stays text. */
function typed(sent: readonly string[], schema: ParameterSchema, definitions: object): unknown {
  const { $ref, type, items } = schema;
  if ($ref !== undefined) return typed(sent, Object(definitionAt({ $defs: definitions }, $ref)), definitions);
  if (items !== undefined) return sent.map((text) => typed([text], items, definitions));
  const [text = '', ...others] = sent;
  if (others.length > 0) return sent;
  const types = [type].flat();
  if (types.includes('boolean') && /^(true|false)$/.test(text)) return text === 'true';
  const isNumber = types.includes('integer') || types.includes('number');
  return isNumber && text.trim() !== '' && !Number.isNaN(Number(text)) ? Number(text) : text;
}

type Body = { mediaType: string; kind: string | undefined; value: unknown };

/** The body of a request by its media type: a value for JSON, FormData for a form, a string for text, a Blob for anything else. */
async function readBody(request: Request, described: MockedOperation['requestBody']): Promise<Body | undefined> {
  if (described === null) return undefined;
  const blob = await request.clone().blob();
  if (blob.size === 0) {
    if (described.required) throw invalidRequest([{ where: 'body', what: 'is required' }]);
    return undefined;
  }
  const mediaType = (request.headers.get('Content-Type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const kind = described.mediaTypes[mediaType]?.kind;
  if (kind === 'form') return { mediaType, kind, value: await request.clone().formData() };
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

function invalidRequest(problems: readonly Problem[]): Refusal {
  const named = problems.map(({ where, what }) => `${where} ${what}`).join('; ');
  return new Refusal('invalid_request', `The request is invalid: ${named}.`, problems);
}
