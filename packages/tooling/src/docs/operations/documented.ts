import { STATUS_CODES } from 'node:http';
import { dig, entriesOf } from '../../common/json.ts';
import { type ContractDocument, kindOf, parameterOf, resolve } from '../../contract/document.ts';
import { isErrorStatus } from '../../contract/error-form.ts';
import { examplesOf } from '../../contract/examples.ts';
import { type PlacedOperation, placedOperations } from '../facts/contract.ts';
import type { Field } from '../facts/schema-words.ts';
import { type CodeSample, samplesOf } from '../samples/languages.ts';

/** An operation as its page shows it, with every reference followed. */
export type OperationDocument = {
  id: string;
  /** In upper case. */
  method: string;
  /** As in the contract, `/notes/{noteId}`. */
  path: string;
  placed: PlacedOperation;
  isBeta: boolean;
  parameters: (Field & { in: string })[];
  body: { description: string; isRequired: boolean; media: Media[] } | undefined;
  responses: ResponseDocument[];
  samples: readonly CodeSample[];
};

export type Media = {
  type: string;
  schema: unknown;
  examples: Example[];
  isBinary: boolean;
  isForm: boolean;
  isStream: boolean;
  /** The limit of this body alone, in bytes. */
  maxBytes: number | undefined;
};
export type Example = { name: string; summary: string; text: string };

export type ResponseDocument = {
  status: string;
  /** `200 OK` */
  title: string;
  description: string;
  headers: Field[];
  media: Media[];
  /** The error codes in its examples. */
  codes: string[];
  isError: boolean;
};

/** Every operation, in the order of the contract. */
export function operationDocuments(contract: ContractDocument): OperationDocument[] {
  const samples = samplesOf(contract);
  return placedOperations(contract).map((placed) =>
    operationDocument(contract, placed, samples.get(placed.operationId) ?? []),
  );
}

function operationDocument(
  contract: ContractDocument,
  placed: PlacedOperation,
  samples: readonly CodeSample[],
): OperationDocument {
  const responses = Object.entries(placed.responses).map(([status, node]) =>
    responseDocument(contract, placed, status, resolve(contract, node)),
  );
  return {
    id: placed.operationId,
    method: placed.method,
    path: placed.path,
    placed,
    isBeta: placed['x-stability'] === 'beta',
    parameters: (placed.parameters ?? []).map((node) => {
      const parameter = parameterOf(node, contract);
      return { ...fieldOf(parameter.name, parameter), in: parameter.in };
    }),
    body: bodyOf(contract, placed.requestBody),
    responses,
    samples,
  };
}

function fieldOf(name: string, node: unknown): Field {
  const description = dig(node, 'description');
  const example = dig(node, 'example');
  return {
    name,
    schema: dig(node, 'schema'),
    isRequired: dig(node, 'required') === true,
    ...(typeof description === 'string' ? { description } : {}),
    ...(example === undefined ? {} : { example }),
  };
}

function bodyOf(contract: ContractDocument, node: unknown): OperationDocument['body'] {
  const body = resolve(contract, node);
  if (dig(body, 'content') === undefined) return undefined;
  return {
    description: String(dig(body, 'description') ?? ''),
    isRequired: dig(body, 'required') === true,
    media: mediaOf(body),
  };
}

function responseDocument(
  contract: ContractDocument,
  placed: PlacedOperation,
  status: string,
  node: unknown,
): ResponseDocument {
  const isError = isErrorStatus(status);
  const media = mediaOf(node);
  const hasJson = entriesOf(dig(resolve(contract, placed.requestBody), 'content')).some(
    ([type]) => kindOf(type) === 'json',
  );
  const codes = entriesOf(dig(node, 'content'))
    .flatMap(([, one]) => examplesOf(one).map((value) => dig(value, 'code')))
    // Operations share their responses, and only a body can be invalid.
    .filter((code) => typeof code === 'string' && (hasJson || code !== 'invalid_json'));
  return {
    status,
    title: `${status} ${STATUS_CODES[status] ?? ''}`.trim(),
    description: String(dig(node, 'description') ?? ''),
    headers: entriesOf(dig(node, 'headers'))
      .filter(([name]) => isSent(name, placed, isError))
      .map(([name, header]) => ({ ...fieldOf(name, resolve(contract, header)), isRequired: false })),
    media,
    codes: isError ? [...new Set(codes)].map(String) : [],
    isError,
  };
}

/** Responses that operations share document headers that only deprecated or beta operations send. */
function isSent(name: string, placed: PlacedOperation, isError: boolean): boolean {
  if (name === 'X-Stability') return placed['x-stability'] === 'beta';
  if (name === 'Deprecation' || name === 'Sunset') return placed.deprecated === true;
  return name !== 'Link' || !isError || placed.deprecated === true;
}

function mediaOf(node: unknown): Media[] {
  return entriesOf(dig(node, 'content')).map(([type, media]) => {
    const maxBytes = dig(media, 'x-max-bytes');
    return {
      type,
      schema: dig(media, 'schema'),
      examples: examplesIn(media),
      isBinary: kindOf(type) === 'binary',
      isForm: kindOf(type) === 'form',
      isStream: dig(media, 'x-stream') === true,
      maxBytes: typeof maxBytes === 'number' ? maxBytes : undefined,
    };
  });
}

function examplesIn(media: unknown): Example[] {
  const one = dig(media, 'example');
  const named = entriesOf(dig(media, 'examples'));
  return [...(one === undefined ? [] : [['example', { value: one }] as const]), ...named].map(([name, example]) => ({
    name,
    summary: String(dig(example, 'summary') ?? ''),
    text: exampleText(dig(example, 'value')),
  }));
}

/** JSON with short values on one line each, other text unchanged. */
function exampleText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
