import { basePath, contractVersion, type ErrorDetail, type OperationId, operations } from '@animal-store/contract';
import { contractJson } from '@animal-store/contract/document';
import type { Request, RequestHandler } from 'express';
import { middleware as openApiValidator } from 'express-openapi-validator';
import { ApiError, invalidRequest } from './errors.ts';
import { isExactInteger } from './http/integers.ts';
import type { Input } from './operations/operation.ts';

const document = JSON.parse(contractJson);
const validators = new Map<OperationId, RequestHandler[]>();
const patternWords = new Map(wordsForPatterns(document));

/**
 * Checks a request against its operation in the contract: parameters, headers and body.
 * Afterwards the exchange holds what the contract promises, defaults filled in.
 */
export const validateRequest: RequestHandler = (request, response, next) => {
  const { route } = request.exchange;
  if (route.kind !== 'operation') return next();
  // HEAD is GET without a body, which Node leaves away by itself; the validator knows only what the contract lists.
  if (request.method === 'HEAD') request.method = 'GET';
  refuseInexactIntegers(route.id, request, route.parameters);
  runAll(validatorOf(route.id), 0, request, response, (error?: unknown) => {
    if (error !== undefined) return next(toApiError(error));
    request.exchange.validated = { query: request.query, path: request.params, body: request.body };
    next();
  });
};

/**
 * One validator per operation, made when it is first needed: express-openapi-validator walks all of its routes for
 * every request, so a validator that knows one route costs the same however many operations the contract has.
 */
function validatorOf(id: OperationId): RequestHandler[] {
  const made = validators.get(id);
  if (made !== undefined) return made;
  const { method, path } = operations[id];
  const name = method.toLowerCase();
  const apiSpec = structuredClone({
    openapi: document.openapi,
    info: { title: document.info.title, version: contractVersion },
    servers: [{ url: basePath }],
    paths: { [path]: { [name]: document.paths[path][name] } },
    components: document.components,
  });
  const validator = openApiValidator({
    apiSpec,
    validateApiSpec: false,
    validateSecurity: false,
    validateResponses: false,
    validateRequests: { allErrors: true },
    fileUploader: false,
  });
  validators.set(id, validator);
  return validator;
}

function runAll(
  handlers: RequestHandler[],
  index: number,
  request: Request,
  response: Parameters<RequestHandler>[1],
  done: (error?: unknown) => void,
): void {
  const handler = handlers[index];
  if (handler === undefined) {
    done();
    return;
  }
  handler(request, response, (error?: unknown) => {
    if (error === undefined) runAll(handlers, index + 1, request, response, done);
    else done(error);
  });
}

/** The validator reads `0x10`, `1e2` and ` 5` as integers, and rounds large ones; the contract means plain digits. */
function refuseInexactIntegers(id: OperationId, request: Request, parameters: Record<string, string>): void {
  const { integers } = operations[id];
  const given = [
    ...integers.query.map((name) => ({ where: `query/${name}`, value: request.query[name] })),
    ...integers.path.map((name) => ({ where: `path/${name}`, value: parameters[name] })),
  ];
  const problems = given.filter(({ value }) => typeof value === 'string' && !isExactInteger(value));
  if (problems.length === 0) return;
  throw invalidRequest(
    problems.map(({ where }) => ({ where, what: 'must be an integer in plain digits, between -(2^53-1) and 2^53-1' })),
  );
}

type ValidatorError = { status: number; errors?: { path?: string; message?: string }[]; message?: string };

function isValidatorError(error: unknown): error is ValidatorError {
  return typeof error === 'object' && error !== null && 'status' in error && typeof error.status === 'number';
}

/** express-openapi-validator's errors in the contract's words; anything else stays what it is. */
function toApiError(error: unknown): unknown {
  if (!isValidatorError(error)) return error;
  if (error.status === 415) return new ApiError('unsupported_media_type', 'Send the body as application/json.');
  if (error.status !== 400) return error;
  const problems = (error.errors ?? []).map(({ path = '', message = 'is invalid' }) => ({
    where: whereOf(path),
    what: whatOf(message),
  }));
  return invalidRequest(problems.filter((problem) => !isSaidBetter(problem, problems)));
}

/** The format int64 adds nothing to "must be integer" and to the bounds, which are named beside it. */
function isSaidBetter(problem: ErrorDetail, problems: ErrorDetail[]): boolean {
  return (
    problem.what.startsWith('must match format') &&
    problems.some((other) => other !== problem && other.where === problem.where)
  );
}

/** Every `pattern` of the contract that stands beside an `x-pattern-says`. */
function* wordsForPatterns(node: unknown): Generator<[pattern: string, words: string]> {
  if (typeof node !== 'object' || node === null) return;
  if ('pattern' in node && 'x-pattern-says' in node) yield [String(node.pattern), String(node['x-pattern-says'])];
  for (const child of Object.values(node)) yield* wordsForPatterns(child);
}

/** `/params/petId` and `/headers/idempotency-key` as the contract names them: `path/petId`, `header/Idempotency-Key`. */
function whereOf(path: string): string {
  const header = /^\/headers\/(.+)$/.exec(path)?.[1];
  if (header !== undefined) return `header/${header.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())}`;
  return path.replace(/^\//, '').replace(/^params\//, 'path/');
}

/** A pattern in the words of the contract, where it has words for it; everything else as the validator says it. */
function whatOf(message: string): string {
  const pattern = /^must match pattern "(.*)"$/s.exec(message)?.[1];
  const words = pattern === undefined ? undefined : patternWords.get(pattern);
  return words ?? message.replace(/\p{Cc}/gu, '�').slice(0, 200);
}

/**
 * The request as the contract promises it, for its operation. The only place where the validator's word becomes a type.
 * @throws Error when the request was not validated as this operation
 */
export function validatedInput<Id extends OperationId>({ exchange }: Request, id: Id): Input<Id> {
  const { route, validated } = exchange;
  if (route.kind !== 'operation' || route.id !== id || !isInput<Id>(validated)) {
    throw new Error(`The request was not validated as ${id}.`);
  }
  return validated;
}

/** What the validator has passed is an operation's input: it checked each part against the schemas the types come from. */
function isInput<Id extends OperationId>(validated: Request['exchange']['validated']): validated is Input<Id> {
  return validated !== undefined;
}
