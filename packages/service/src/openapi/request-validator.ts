import { formatNames } from 'ajv-formats/dist/formats.js';
import type { Request, RequestHandler } from 'express';
import { middleware as openApiValidator } from 'express-openapi-validator';
import type { Contract, OperationFacts } from '../common/facts.ts';
import {
  declaredParameters,
  isValidated,
  nameForValidator,
  type OpenApiDocument,
  operationDocument,
  requiresIfMatch,
} from './document.ts';

export type RequestValidator = {
  /** Runs express-openapi-validator. It coerces the values on the request in place, and passes errors to `next`. */
  validate: RequestHandler;
  queryNames: ReadonlySet<string>;
  requiresIfMatch: boolean;
};

/** Returns the validator of an operation, which it creates on the first call, because that is slow. */
export function validatorOnFirstUse(...operation: Parameters<typeof createValidator>): () => RequestValidator {
  let validator: RequestValidator | undefined;
  return () => {
    validator ??= createValidator(...operation);
    return validator;
  };
}

/**
 * The validator of one operation. express-openapi-validator walks all of its routes for every request and compiles each route's
 * expression again, so a validator that knows one route costs the same in a contract of any size.
 */
function createValidator(facts: OperationFacts, contract: Contract, document: OpenApiDocument): RequestValidator {
  const apiSpec = operationDocument(facts, contract, document);
  if (!isForValidator(apiSpec)) throw new Error('The document of an operation is not complete.');
  const validate = composeMiddleware(
    openApiValidator({
      apiSpec,
      // `npm run lint` has done it, and does not delay the start.
      validateApiSpec: false,
      // Its 401 has no WWW-Authenticate, and it finds "bearer" anywhere in the header: see authenticate.ts.
      validateSecurity: false,
      // It checks bodies only, and not those of a 401 or 429: see response-check.ts.
      validateResponses: false,
      // The validator reports only the first unknown parameter; `unknownOrEmptyParams` reports all of them.
      validateRequests: { allErrors: true, allowUnknownQueryParameters: true },
      // It would open multer, which stores files before anything is checked: see read-form.ts.
      fileUploader: false,
      // The validator's own default accepts the date 2026-19-39.
      ajvFormats: { mode: 'full' },
      formats: unknownFormats(apiSpec),
    }),
  );
  const parameters = declaredParameters(facts, document).filter((parameter) => parameter.in === 'query');
  const hasBrackets = parameters.some(({ name }) => name.includes('['));
  return {
    validate: (request, response, next) => {
      normalizeContentType(request, facts);
      if (hasBrackets) keepBrackets(request, { method: facts.method, path: facts.path, parameters });
      validate(request, response, next);
    },
    queryNames: new Set(parameters.map(({ name }) => name)),
    requiresIfMatch: requiresIfMatch(facts, document),
  };
}

/** Formats that Ajv does not know, and would warn about at each place. It ignores them, as JSON Schema allows. */
function unknownFormats(document: object): Record<string, true> {
  const known: readonly string[] = formatNames;
  const used = JSON.stringify(document).matchAll(/"format":("(?:[^"\\]|\\.)*")/g);
  const names = [...used].map(([, name = '']) => String(JSON.parse(name)));
  return Object.fromEntries(names.filter((name) => !known.includes(name)).map((name) => [name, true]));
}

type ValidatorDocument = Exclude<Parameters<typeof openApiValidator>[0]['apiSpec'], string>;

/** The validator's type requires more than the validator reads, such as webhooks. */
function isForValidator(document: object): document is ValidatorDocument {
  return 'openapi' in document && 'info' in document && 'paths' in document && 'components' in document;
}

/**
 * Replaces the media type by the contract's name for it, without parameters. The validator compiles an operation again for
 * each new Content-Type and keeps 16 KB for each; `readBody` has already checked the parameters.
 */
function normalizeContentType({ headers, context: { contentType } }: Request, facts: OperationFacts): void {
  const type = contentType !== undefined && isValidated(facts, contentType) ? nameForValidator(contentType) : undefined;
  if (headers['content-type'] !== type) headers['content-type'] = type;
}

/** Names such as `filter[state]` stay as they are: the validator looks in the query for the parameters, where nothing else puts them. */
function keepBrackets(request: Request, schema: object): void {
  const query = Object.defineProperty(request.query, '_openapi', { value: { schema } });
  Object.defineProperty(request, 'query', { value: query, configurable: true, writable: true });
}

/** Combines handlers into one. An Express Router would take a quarter of a request's time (docs/performance.md). */
function composeMiddleware(handlers: readonly RequestHandler[]): RequestHandler {
  return (request, response, done) => {
    let index = 0;
    const next = (error?: unknown): void => {
      const handler = error === undefined ? handlers[index] : undefined;
      index += 1;
      if (handler === undefined) done(error);
      else void handler(request, response, next);
    };
    try {
      next();
    } catch (error) {
      done(error);
    }
  };
}
