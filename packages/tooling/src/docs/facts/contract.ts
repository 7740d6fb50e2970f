import type { ErrorCodeRow } from '../../contract/document.ts';
import { type Access, accessInWords, accessOf } from './access.ts';

/** The parts of the bundled contract that the docs read. `npm run lint` checks this shape. */
export type DocumentedContract = {
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    contact: { name: string; url: string; email: string };
  };
  servers: { url: string; description: string }[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, DocumentedOperation>>;
  /** Requests that the API sends to its partners, by name. */
  webhooks?: Record<string, Record<string, DocumentedOperation>>;
  components: {
    headers: Record<string, { description: string; example?: unknown; schema: { example?: unknown } }>;
    parameters: Record<string, DocumentedParameter>;
    responses: Record<string, DocumentedResponse>;
    securitySchemes: Record<string, { 'x-scopes'?: Record<string, string> }>;
    schemas: Record<string, DocumentedSchema> & {
      ErrorCode: DocumentedSchema & { 'x-codes': Record<string, ErrorCodeRow> };
    };
  };
  'x-rate-limits': { plans: Record<string, Plan>; anonymous: Quota; ban: Record<string, number> };
  'x-limits': Record<string, number>;
};

export type Quota = { perMinute: number; perDay: number };
export type Plan = { title: string } & (Quota | { custom: true });

export type DocumentedOperation = {
  operationId: string;
  /** An operation has one tag; a webhook may have none. */
  tags?: string[];
  summary: string;
  description?: string;
  deprecated?: boolean;
  'x-stability'?: string;
  'x-deprecation'?: { since: string; sunset: string; successor: string; documentation: string };
  parameters?: (DocumentedParameter | { $ref: string })[];
  requestBody?: { content?: Content };
  responses: Record<string, DocumentedResponse | { $ref: string }>;
};

export type DocumentedParameter = {
  name: string;
  in: string;
  required?: boolean;
  description: string;
  schema?: object;
};
export type DocumentedResponse = { description: string; content?: Content };
export type DocumentedSchema = {
  description?: string;
  properties?: Record<string, DocumentedSchema | { $ref: string }>;
};
/** By media type. */
type Content = Record<string, { examples?: Record<string, { value: unknown }> }>;

/** An operation or a webhook with its place in the contract and in the reference. */
export type PlacedOperation = DocumentedOperation & {
  /** `GET /notes`; for a webhook `Webhook noteRead`. */
  key: string;
  /** Its page: `operations/listNotes.html`. */
  address: string;
  tag: string;
  isWebhook: boolean;
  access: Access;
};

/** Every operation, in the order of the contract. */
export function placedOperations(contract: DocumentedContract): PlacedOperation[] {
  return Object.entries(contract.paths).flatMap(([path, item]) =>
    operationsIn(item).map(([method, operation]) => ({
      ...operation,
      key: `${method.toUpperCase()} ${path}`,
      address: pageAddress(operation),
      tag: operation.tags?.[0] ?? '',
      isWebhook: false,
      access: accessOf(contract, operation),
    })),
  );
}

/** Every webhook, in the order of the contract. */
export function placedWebhooks({ webhooks = {} }: DocumentedContract): PlacedOperation[] {
  return Object.entries(webhooks).flatMap(([name, item]) =>
    operationsIn(item).map(([, operation]) => ({
      ...operation,
      key: `Webhook ${name}`,
      address: pageAddress(operation),
      tag: operation.tags?.[0] ?? 'webhooks',
      isWebhook: true,
      access: 'public' as const,
    })),
  );
}

/** The operations of a path, each with the parameters that all of them share. */
function operationsIn(item: Record<string, DocumentedOperation>): [string, DocumentedOperation][] {
  const shared: unknown = item['parameters'];
  return Object.entries(item)
    .filter(([, operation]) => operation.operationId !== undefined)
    .map(([method, operation]) => {
      const parameters = [...(Array.isArray(shared) ? shared : []), ...(operation.parameters ?? [])];
      // `npm run dev` also shows a contract that lint refuses.
      const { summary = operation.operationId } = operation;
      return [method, { ...operation, summary, parameters }];
    });
}

/** The note above the description of an operation, in Markdown: which key it needs, or that it is a webhook. */
export function noteOn({ isWebhook, access }: Pick<PlacedOperation, 'isWebhook' | 'access'>): string {
  return isWebhook ? '**Webhook:** the API sends this request to your URL.' : accessInWords[access];
}

/** The media types of the request and of the successful responses, without duplicates. */
export function mediaTypesOf({ requestBody, responses }: DocumentedOperation): string[] {
  const successes = Object.entries(responses).flatMap(([status, response]) =>
    status < '400' && 'content' in response ? [response.content ?? {}] : [],
  );
  return [...new Set([requestBody?.content ?? {}, ...successes].flatMap((content) => Object.keys(content)))];
}

/** A parameter with its reference to a component resolved. */
export function parameterOf(
  parameter: DocumentedParameter | { $ref: string },
  { components }: DocumentedContract,
): DocumentedParameter {
  return '$ref' in parameter ? componentOf(components.parameters, parameter.$ref) : parameter;
}

/** A response with its reference to a component resolved. */
export function responseOf(
  response: DocumentedResponse | { $ref: string },
  { components }: DocumentedContract,
): DocumentedResponse {
  return '$ref' in response ? componentOf(components.responses, response.$ref) : response;
}

function componentOf<Part>(parts: Record<string, Part>, reference: string): Part {
  const found = parts[reference.split('/').at(-1) ?? ''];
  if (found === undefined) throw new Error(`The contract has no ${reference}.`);
  return found;
}

function pageAddress({ operationId }: DocumentedOperation): string {
  return `operations/${operationId}.html`;
}
