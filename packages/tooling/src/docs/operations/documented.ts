import { STATUS_CODES } from 'node:http';
import { dig } from '../../common/json.ts';
import { type Content, type ContractDocument, kindOf } from '../../contract/document.ts';
import { errorsIn, isErrorStatus, isServerForm } from '../../contract/error-form.ts';
import { type CodeSample, samplesOf } from '../samples/languages.ts';
import type { Field } from './fields.ts';
import { type PlacedOperation, placedOperations } from './placed.ts';

/** An operation as its page shows it, with every reference followed. */
export type OperationDocument = {
  id: string;
  placed: PlacedOperation;
  parameters: (Field & { in: string })[];
  body: { description: string; isRequired: boolean; media: Media[] } | undefined;
  responses: ResponseDocument[];
  samples: readonly CodeSample[];
};

export type Media = {
  type: string;
  schema: unknown;
  examples: { summary: string; text: string }[];
  isStream: boolean;
  /** The limit of this body alone, in bytes. */
  maxBytes: number | undefined;
};

export type ResponseDocument = {
  status: string;
  /** `200 OK` */
  title: string;
  description: string;
  headers: string[];
  media: Media[];
  /** The error codes in its examples, if it has the form of the server. */
  codes: string[];
  isError: boolean;
};

/** Every operation, in the order of the contract. */
export function operationDocuments(contract: ContractDocument): OperationDocument[] {
  const samples = samplesOf(contract);
  return placedOperations(contract).map((placed) => ({
    id: placed.operationId,
    placed,
    parameters: placed.parameters.map((parameter) => {
      const { name, in: place, schema, required = false, description = '' } = parameter;
      return { name, in: place, schema, isRequired: required, description, example: dig(parameter, 'example') };
    }),
    body: placed.body && {
      description: placed.body.description ?? '',
      isRequired: placed.body.required === true,
      media: mediaOf(placed.body.content),
    },
    responses: placed.responses.map((response) => responseDocument(placed, response)),
    samples: samples.get(placed.operationId) ?? [],
  }));
}

function responseDocument(placed: PlacedOperation, response: PlacedOperation['responses'][number]): ResponseDocument {
  const { status, description = '', headers = {}, content = {} } = response;
  const isError = isErrorStatus(status);
  const hasJson = Object.keys(placed.body?.content ?? {}).some((type) => kindOf(type) === 'json');
  const codes = errorsIn(content)
    .map(({ code }) => code)
    // Operations share their responses, and only a body can be invalid.
    .filter((code) => hasJson || code !== 'invalid_json');
  return {
    status,
    title: `${status} ${STATUS_CODES[status] ?? ''}`.trim(),
    description,
    headers: Object.keys(headers).filter((name) => isSent(name, placed)),
    media: mediaOf(content),
    codes: isError && isServerForm(response) ? [...new Set(codes)] : [],
    isError,
  };
}

/** Responses that operations share document headers that only deprecated or beta operations send. */
function isSent(name: string, placed: PlacedOperation): boolean {
  if (name === 'X-Stability') return placed['x-stability'] === 'beta';
  return (name !== 'Deprecation' && name !== 'Sunset') || placed.deprecated === true;
}

function mediaOf(content: Content = {}): Media[] {
  return Object.entries(content).map(([type, { schema, example, examples = {}, ...media }]) => ({
    type,
    schema,
    examples: [
      ...(example === undefined ? [] : [{ summary: '', text: textOf(example) }]),
      ...Object.values(examples).map(({ summary = '', value }) => ({ summary, text: textOf(value) })),
    ],
    isStream: media['x-stream'] === true,
    maxBytes: media['x-max-bytes'],
  }));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
