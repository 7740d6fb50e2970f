import { STATUS_CODES } from 'node:http';
import { dig, entriesOf } from '../../common/json.ts';
import { type ContractDocument, kindOf, resolve } from '../../contract/document.ts';
import { isErrorStatus } from '../../contract/error-form.ts';
import { examplesOf } from '../../contract/examples.ts';
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
  /** The error codes in its examples. */
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
    body: bodyOf(resolve(contract, placed.requestBody)),
    responses: Object.entries(placed.responses).map(([status, node]) =>
      responseDocument(contract, placed, status, resolve(contract, node)),
    ),
    samples: samples.get(placed.operationId) ?? [],
  }));
}

function bodyOf(node: unknown): OperationDocument['body'] {
  if (dig(node, 'content') === undefined) return undefined;
  return {
    description: String(dig(node, 'description') ?? ''),
    isRequired: dig(node, 'required') === true,
    media: mediaOf(node),
  };
}

function responseDocument(
  contract: ContractDocument,
  placed: PlacedOperation,
  status: string,
  node: unknown,
): ResponseDocument {
  const isError = isErrorStatus(status);
  const sent = entriesOf(dig(resolve(contract, placed.requestBody), 'content'));
  const hasJson = sent.some(([type]) => kindOf(type) === 'json');
  const codes = entriesOf(dig(node, 'content'))
    .flatMap(([, one]) => examplesOf(one).map((value) => dig(value, 'code')))
    // Operations share their responses, and only a body can be invalid.
    .filter((code) => typeof code === 'string' && (hasJson || code !== 'invalid_json'));
  return {
    status,
    title: `${status} ${STATUS_CODES[status] ?? ''}`.trim(),
    description: String(dig(node, 'description') ?? ''),
    headers: entriesOf(dig(node, 'headers')).flatMap(([name]) => (isSent(name, placed) ? [name] : [])),
    media: mediaOf(node),
    codes: isError ? [...new Set(codes)].map(String) : [],
    isError,
  };
}

/** Responses that operations share document headers that only deprecated or beta operations send. */
function isSent(name: string, placed: PlacedOperation): boolean {
  if (name === 'X-Stability') return placed['x-stability'] === 'beta';
  return (name !== 'Deprecation' && name !== 'Sunset') || placed.deprecated === true;
}

function mediaOf(node: unknown): Media[] {
  return entriesOf(dig(node, 'content')).map(([type, media]) => {
    const maxBytes = dig(media, 'x-max-bytes');
    const one = dig(media, 'example');
    const named = entriesOf(dig(media, 'examples')).map(([, example]) => example);
    return {
      type,
      schema: dig(media, 'schema'),
      examples: [...(one === undefined ? [] : [{ value: one }]), ...named].map((example) => ({
        summary: String(dig(example, 'summary') ?? ''),
        text: textOf(dig(example, 'value')),
      })),
      isStream: dig(media, 'x-stream') === true,
      maxBytes: typeof maxBytes === 'number' ? maxBytes : undefined,
    };
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
