/** The bodies of the errors that the server itself sends. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { type Contract, type ErrorDetail, type OperationFacts, problemTitle } from '../common/facts.ts';
import { type ApiError, statusOf } from './api-error.ts';
import { openCompilerOf, schemaProblems } from './body-check.ts';
import type { CompiledContract, Route } from './compiled-contract.ts';
import { operationIn, resolved, rowOf } from './document.ts';
import type { OutgoingResponse } from './response-check.ts';

/** What the server says about a request that it refuses. */
export type Problem = {
  code: string;
  message: string;
  status: number;
  /** One entry for each invalid part of the request. */
  details?: ErrorDetail[];
  /** The URL of the docs about the code. It is relative if the server does not know its own hostname. */
  documentation: string;
  /** The value of `X-Request-Id`. */
  requestId: string;
};

/** Makes the body of an error that the server itself sends. */
export type ErrorBodyOf = (problem: Problem) => unknown;

/**
 * The text of such a body: in the form of the server if the contract has its own errors, but none for this status. It does not throw, because
 * there is no further error to send in its place.
 */
export type ErrorTextOf = (problem: Problem, operation?: OperationFacts) => string;

/** Problem details (RFC 9457), with the code. */
export function problemDetails({ message, documentation, code, status, requestId: _, ...rest }: Problem): object {
  return { type: documentation, title: problemTitle(code), status, detail: message, code, ...rest };
}

/** The `Error` of the service. */
export const plainError: ErrorBodyOf = ({ requestId: _, ...problem }) => problem;

/** @param ownBody makes the body if `errorBody` throws, or returns what JSON cannot express */
export function errorTextOf(
  errorBody: ErrorBodyOf,
  ownBody: ErrorBodyOf,
  { operations }: Contract,
  log: Logger,
): ErrorTextOf {
  const all = Object.values(operations);
  const hasOwnErrors = all.some(({ errors }) => errors !== undefined);
  const isAddedTo = (some: readonly OperationFacts[], status: number) =>
    hasOwnErrors &&
    some.every(({ errors }) => rowOf(errors, status) === undefined) &&
    some.some(({ errorCodes }) => rowOf(errorCodes, status) !== undefined);
  /** By status, for errors that belong to no operation: anybody can cause many of them. */
  const added = new Map<number, boolean>();
  const isAddedToAll = (status: number) => {
    const known = added.get(status) ?? isAddedTo(all, status);
    added.set(status, known);
    return known;
  };
  return (problem, operation) => {
    try {
      const { status } = problem;
      const isAdded = operation === undefined ? isAddedToAll(status) : isAddedTo([operation], status);
      const body = (isAdded ? ownBody : errorBody)(problem);
      const text: unknown = typeof body === 'string' ? body : JSON.stringify(body);
      if (typeof text === 'string') return text;
      throw new TypeError('errorBody returned nothing that JSON can express.');
    } catch (err) {
      log.error({ err, code: problem.code }, 'errorBody failed; the error was sent in the form of the server');
      return JSON.stringify(ownBody(problem));
    }
  };
}

export function errorType({ errorForm }: Pick<Contract, 'errorForm'>): string {
  return errorForm === 'problem' ? 'application/problem+json' : 'application/json';
}

/** @param origin that of the docs; without it, their link is relative to the request */
export function problemOf(error: ApiError, contract: Pick<Contract, 'errorStatus'>, origin: string) {
  const { code, message, details } = error;
  const status = statusOf(error, contract);
  return { code, message, status, ...(details && { details }), documentation: `${origin}/docs/errors.html#${code}` };
}

/** The response with an error, in the media type that the operation documents for its status. */
export function errorResponse(
  error: ApiError,
  context: { contract: CompiledContract; route: Route; origin: string; requestId: string },
  errorText: ErrorTextOf,
): OutgoingResponse {
  const { route, origin, requestId } = context;
  const { contract } = context.contract;
  const problem = problemOf(error, contract, origin);
  const { status, code } = problem;
  const facts = route.kind === 'operation' ? route.operation.facts : undefined;
  const { mediaTypes = {} } = rowOf(facts?.errors, status) ?? {};
  const types = Object.keys(mediaTypes);
  const contentType = types.find((type) => mediaTypes[type]?.kind === 'json') ?? types[0] ?? errorType(contract);
  return { status, code, headers: error.headers, body: errorText({ ...problem, requestId }, facts), contentType };
}

/** Why an error of the server does not fit the schema that the contract documents for its status, in a sentence. */
export function problemOfErrorBody(
  { document, operations }: CompiledContract,
  errorBody: ErrorBodyOf,
): string | undefined {
  const compile = openCompilerOf(document);
  const checked = new Set<string>();
  const sample = { message: 'A message.', documentation: 'https://api.example.com/docs', requestId: randomUUID() };
  const details = [{ where: 'body', what: 'is a sample' }];
  for (const { id, facts } of operations.values()) {
    for (const [status, codes] of Object.entries(facts.errorCodes)) {
      if (rowOf(facts.errors, Number(status)) === undefined) continue;
      const { content = {} } = resolved(operationIn(document, facts).responses?.[status], document) ?? {};
      const schema = Object.entries(content).find(([type]) => /[/+]json$/.test(type))?.[1].schema;
      const name = JSON.stringify([codes, schema]);
      if (schema === undefined || checked.has(name)) continue;
      checked.add(name);
      const validate = compile(schema);
      for (const code of codes) {
        const more = code === 'invalid_request' ? { details } : {};
        const [first] = schemaProblems(validate, errorBody({ ...sample, code, status: Number(status), ...more }));
        if (first === undefined) continue;
        return `The error ${code} of the server does not fit the schema of ${status} of ${id}: ${first}. Write errorBody in api.ts, which makes bodies that fit. Without it, a live server does not start.`;
      }
    }
  }
  return undefined;
}
