import type { ErrorCodeRow } from '../../generate/document.ts';

/** What the docs read from the bundled contract. `npm run lint` holds the contract to this shape. */
export type DocumentedContract = {
  info: { title: string; version: string; summary: string; description: string };
  servers: { url: string; description: string }[];
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: {
    headers: Record<string, { description: string; example?: unknown; schema: { example?: unknown } }>;
    parameters: Record<string, DocumentedParameter>;
    responses: Record<string, { description: string; content?: ContentWithExamples }>;
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
  tags: string[];
  summary: string;
  description: string;
  deprecated?: boolean;
  'x-stability'?: string;
  'x-deprecation'?: { since: string; sunset: string; successor: string; documentation: string };
  parameters?: (DocumentedParameter | { $ref: string })[];
  responses: Record<string, { content?: ContentWithExamples }>;
};

export type DocumentedParameter = { name: string; in: string; description: string };
export type DocumentedSchema = {
  description?: string;
  properties?: Record<string, DocumentedSchema | { $ref: string }>;
};
type ContentWithExamples = { 'application/json'?: { examples?: Record<string, { value: unknown }> } };

/** An operation with its place in the contract and in the reference. */
export type PlacedOperation = DocumentedOperation & {
  /** `GET /pets` */
  key: string;
  /** Where the reference shows it: `reference.html#/pets/listpets`. */
  address: string;
};

/** Every operation, in the order of the contract. */
export function placedOperations({ paths }: DocumentedContract): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation.operationId !== undefined)
      .map(([method, operation]) => ({
        ...operation,
        key: `${method.toUpperCase()} ${path}`,
        address: referenceAddress(operation),
      })),
  );
}

/** Redoc's own address of an operation: its tag and its id in lower case. */
function referenceAddress({ operationId, tags: [tag = ''] }: DocumentedOperation): string {
  return `reference.html#/${tag.toLowerCase()}/${operationId.toLowerCase()}`;
}
