import { type ContractDocument, parameterOf } from '../../contract/document.ts';
import { type PlacedOperation, placedOperations } from '../facts/contract.ts';
import { headersWithType, type SampleHeader, type SampleRequest, sampleRequests } from '../samples/request.ts';

/** `isOn` is false for an optional parameter: the request works without it, and the reader can enable it. */
export type SavedValue = { name: string; value: string; description: string; isOn: boolean };

/** A request as API tools save it: with values of the contract's examples, and variables as `{{name}}`. */
export type SavedRequest = {
  operation: PlacedOperation;
  /** `/notes/{noteId}` */
  path: string;
  pathValues: SavedValue[];
  query: SavedValue[];
  headers: SavedValue[];
  /** Undefined without a body. A file is chosen in the tool, so its body is empty. */
  body: { text: string; isJson: boolean } | undefined;
};

/** The operations of the contract in groups, by their tags. */
export function savedRequests(contract: ContractDocument): Map<string, SavedRequest[]> {
  const samples = new Map(sampleRequests(contract).map((sample) => [sample.id, sample]));
  const groups = new Map<string, SavedRequest[]>();
  for (const operation of placedOperations(contract)) {
    const sample = samples.get(operation.operationId);
    if (sample === undefined) continue;
    groups.set(operation.tag, [...(groups.get(operation.tag) ?? []), savedRequest(contract, operation, sample)]);
  }
  return groups;
}

function savedRequest(contract: ContractDocument, operation: PlacedOperation, sample: SampleRequest): SavedRequest {
  const declared = (operation.parameters ?? []).map((parameter) => parameterOf(parameter, contract));
  const saved = (name: string, value: unknown, isAlwaysOn = false): SavedValue => {
    const parameter = declared.find((candidate) => candidate.name === name);
    const isOn = isAlwaysOn || parameter?.required === true;
    return { name, value: String(value), description: parameter?.description?.trim() ?? '', isOn };
  };
  const valuesOf = ([name, value]: [string, unknown]) =>
    (Array.isArray(value) ? value : [value]).map((one) => saved(name, one));
  return {
    operation,
    path: sample.path,
    pathValues: Object.entries(sample.pathValues).map(([name, value]) => saved(name, value, true)),
    query: Object.entries(sample.query).flatMap(valuesOf),
    headers: headersWithType(sample).map((header) => savedHeader(saved(header.name, headerValue(header), true))),
    body: bodyOf(sample),
  };
}

/** A change names the version that the reader has seen: the collections keep the ETag of the latest response in a variable. */
function savedHeader(header: SavedValue): SavedValue {
  if (header.name !== 'If-Match') return header;
  const description = `${header.description} {{etag}} is the ETag of the latest response: first send the request that reads the resource.`;
  return { ...header, value: '{{etag}}', description };
}

/** Postman and Bruno generate a new UUID for `{{$guid}}`. */
function headerValue(header: SampleHeader): string {
  return 'value' in header ? String(header.value) : '{{$guid}}';
}

function bodyOf({ body }: SampleRequest): SavedRequest['body'] {
  if (body === undefined) return undefined;
  if (body.sending === 'json') return { text: JSON.stringify(body.value, null, 2), isJson: true };
  return { text: body.sending === 'text' ? body.text : '', isJson: false };
}
