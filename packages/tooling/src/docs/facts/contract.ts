import { type ContractDocument, methodsOf, type OperationObject, type PathItem } from '../../contract/document.ts';
import { type Access, accessInWords, accessOf } from './access.ts';

/** An operation or a webhook with its place in the contract and in the reference. */
export type PlacedOperation = OperationObject & {
  summary: string;
  /** `GET /notes`; for a webhook `Webhook noteRead`. */
  key: string;
  /** Its page: `operations/listNotes.html`. */
  address: string;
  tag: string;
  isWebhook: boolean;
  access: Access;
};

/** Every operation, in the order of the contract. */
export function placedOperations(contract: ContractDocument): PlacedOperation[] {
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
export function placedWebhooks({ webhooks = {} }: ContractDocument): PlacedOperation[] {
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
function operationsIn(item: PathItem): [string, OperationObject & { summary: string }][] {
  return methodsOf(item).map(([method, operation]) => {
    const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
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
export function mediaTypesOf({ requestBody, responses }: OperationObject): string[] {
  const successes = Object.entries(responses).flatMap(([status, response]) =>
    status < '400' && 'content' in response ? [response.content ?? {}] : [],
  );
  return [...new Set([requestBody?.content ?? {}, ...successes].flatMap((content) => Object.keys(content)))];
}

function pageAddress({ operationId }: OperationObject): string {
  return `operations/${operationId}.html`;
}
