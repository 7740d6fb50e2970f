import { dig, entriesOf } from '../common/json.ts';
import { type ContractDocument, kindOf, operationsOf, resolve } from '../contract/document.ts';
import { exampleOf, examplesOf } from '../contract/examples.ts';

/** The facts of an operation that a skeleton needs. */
export type OperationFacts = {
  id: string;
  /** In upper case. */
  method: string;
  path: string;
  summary: string;
  /** The first tag. */
  tag: string;
  /** Without the headers that the server itself reads. */
  parameters: ParameterFacts[];
  /** The request body, by its first media type; `required` names properties of JSON. */
  body: { isStreamed: boolean; examples: unknown[]; required: string[] } | undefined;
  isIdempotent: boolean;
  /** From then on the operation responds with 410. */
  sunset: string | undefined;
  responses: ResponseFacts[];
};

export type ParameterFacts = {
  name: string;
  in: string;
  isRequired: boolean;
  /** Whether the text "wrong" is an invalid value. */
  isRestricted: boolean;
  example: string | number;
};

/** A documented response, and the errors in its examples. */
export type ResponseFacts = { status: number; errors: { code: string; message: string }[] };

/** Headers that never reach an operation. */
const serverHeaders = new Set(['Idempotency-Key', 'If-None-Match']);

const restrictedTypes = new Set<unknown>(['integer', 'number', 'boolean']);

/** Every operation, in the order of the contract. */
export function factsOf(document: ContractDocument): OperationFacts[] {
  return operationsOf(document).map(({ method, path, operation, parameters }) => {
    const [media] = entriesOf(dig(resolve(document, operation.requestBody), 'content'));
    const facts = parameters.map((parameter) => parameterFacts(document, parameter));
    const sunset = dig(operation, 'x-deprecation', 'sunset');
    return {
      id: operation.operationId,
      method,
      path,
      summary: String(dig(operation, 'summary') ?? operation.operationId),
      tag: String(dig(operation, 'tags', '0') ?? ''),
      parameters: facts.filter(({ name }) => !serverHeaders.has(name)),
      body: media === undefined ? undefined : bodyFacts(document, ...media),
      isIdempotent: facts.some(({ name, in: place }) => place === 'header' && name === 'Idempotency-Key'),
      sunset: typeof sunset === 'string' ? sunset : undefined,
      responses: Object.entries(operation.responses).flatMap(([status, response]) =>
        responseFacts(document, status, response),
      ),
    };
  });
}

function parameterFacts(document: ContractDocument, parameter: object): ParameterFacts {
  const schema = resolve(document, dig(parameter, 'schema'));
  const given = exampleOf(parameter, schema);
  // A single value is also a valid list.
  const example = Array.isArray(given) ? given[0] : given;
  return {
    name: String(dig(parameter, 'name')),
    in: String(dig(parameter, 'in')),
    isRequired: dig(parameter, 'required') === true,
    isRestricted: restrictedTypes.has(dig(schema, 'type')) || dig(schema, 'enum') !== undefined,
    // Header values are text.
    example: typeof example === 'number' && dig(parameter, 'in') !== 'header' ? example : String(example),
  };
}

function bodyFacts(document: ContractDocument, mediaType: string, media: unknown) {
  const schema = resolve(document, dig(media, 'schema'));
  const examples = examplesOf(media);
  const isJson = kindOf(mediaType) === 'json';
  return {
    isStreamed: dig(media, 'x-stream') === true,
    examples: examples.length > 0 ? examples : [isJson ? exampleOf({}, schema) : 'x'],
    required: isJson ? entriesOf(dig(schema, 'required')).map(([, name]) => String(name)) : [],
  };
}

function responseFacts(document: ContractDocument, status: string, response: unknown): ResponseFacts[] {
  // A test cannot expect "default" or a range such as 4XX.
  if (!/^[1-5]\d\d$/.test(status)) return [];
  const errors = examplesOf(dig(resolve(document, response), 'content', 'application/json')).flatMap((example) => {
    const [code, message] = [dig(example, 'code'), dig(example, 'message')];
    return typeof code === 'string' && Number(status) >= 400 ? [{ code, message: String(message) }] : [];
  });
  return [{ status: Number(status), errors }];
}
