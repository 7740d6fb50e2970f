import { dig, entriesOf } from '../common/json.ts';
import {
  type ContractDocument,
  kindOf,
  operationsOf,
  type ParameterObject,
  type PlacedOperation,
  resolve,
} from '../contract/document.ts';
import { errorsIn, isServerForm } from '../contract/error-form.ts';
import { exampleOf, examplesOf } from '../contract/examples.ts';
import { serverCodesOf } from '../contract/server-responses.ts';
import { isIdempotent, serverHeaders } from '../generate/constants.ts';

/** The facts of an operation that a skeleton needs. */
export type OperationFacts = {
  id: string;
  /** In upper case. */
  method: string;
  path: string;
  summary: string;
  /** Without the headers that the server itself reads. */
  parameters: ParameterFacts[];
  /** The request body, by its first media type. */
  body: { isJson: boolean; examples: unknown[] } | undefined;
  isIdempotent: boolean;
  responses: ResponseFacts[];
};

export type ParameterFacts = {
  name: string;
  in: string;
  isRequired: boolean;
  example: string | number;
};

/** A documented response, and the errors in its examples. */
export type ResponseFacts = { status: number; errors: { code: string; message: string }[] };

/** Every operation, in the order of the contract. */
export function factsOf(document: ContractDocument): OperationFacts[] {
  return operationsOf(document).map((placed) => {
    const { method, path, operation, parameters, body, responses } = placed;
    const [media] = entriesOf(body?.content);
    const successes = responses.filter(({ status }) => status.startsWith('2'));
    const ofServer = serverCodesOf(document, { ...placed, successes });
    const facts = parameters.map(parameterFacts);
    return {
      id: operation.operationId,
      method,
      path,
      summary: operation.summary ?? operation.operationId,
      parameters: facts.filter(({ name }) => !serverHeaders.has(name)),
      body: media === undefined ? undefined : bodyFacts(document, ...media),
      isIdempotent: isIdempotent(parameters),
      responses: responses.flatMap((response) => responseFacts(response, ofServer.get(response.status) ?? [])),
    };
  });
}

function parameterFacts(parameter: ParameterObject): ParameterFacts {
  const { name, in: place, required, schema } = parameter;
  const given = exampleOf(parameter, schema);
  // A single value is also a valid list.
  const example = Array.isArray(given) ? given[0] : given;
  return {
    name,
    in: place,
    isRequired: required === true,
    // Header values are text.
    example: typeof example === 'number' && place !== 'header' ? example : String(example),
  };
}

function bodyFacts(document: ContractDocument, mediaType: string, media: unknown) {
  const schema = resolve(document, dig(media, 'schema'));
  const examples = examplesOf(media);
  const isJson = kindOf(mediaType) === 'json';
  const isForm = kindOf(mediaType) === 'form';
  return {
    isJson,
    examples: examples.length > 0 ? examples : [isJson || isForm ? exampleOf({}, schema) : 'x'],
  };
}

/** @param codes those of the server with this status */
function responseFacts(response: PlacedOperation['responses'][number], codes: readonly string[]): ResponseFacts[] {
  const { status, content } = response;
  // A test cannot expect "default" or a range such as 4XX.
  if (!/^[1-5]\d\d$/.test(status)) return [];
  if (Number(status) < 400) return [{ status: Number(status), errors: [] }];
  const errors = isServerForm(response) ? errorsIn(content) : codes.map((code) => ({ code, message: '' }));
  return [{ status: Number(status), errors }];
}
