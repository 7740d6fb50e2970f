import { originPlaceholder } from '@contract-first/service/facts';
import { dig, entriesOf } from '../../common/json.ts';
import { type ContractDocument, keyPrefix, kindOf, operationsOf, resolve } from '../../contract/document.ts';
import { exampleOf, examplesOf } from '../../contract/examples.ts';
import { formFieldsOf, multipart } from '../../contract/forms.ts';
import { contractDocument } from '../../contract/generated.ts';
import { listFactsOf } from '../../contract/pagination.ts';
import { credentialOf, needsKeys } from '../../contract/security.ts';
import { absoluteServers } from '../../generate/constants.ts';
import { project } from '../../project.ts';
import { accessOf } from '../operations/placed.ts';
import {
  type Creation,
  isJsonRequest,
  readingOf,
  type SampleBody,
  type SampleForm,
  type SampleHeader,
  type SampleRequest,
  type SampleResponse,
  variable,
} from './sample-request.ts';

/** Stands for the reader's key in samples. */
export const keyPlaceholder = `${keyPrefix(contractDocument()) ?? 'key'}_test_YOUR_KEY`;

export const keyVariable = `${project.variables}_KEY`;

/** The sample request of every operation, made from the examples of the contract. */
export function sampleRequests(document: ContractDocument): SampleRequest[] {
  const operations = operationsOf(document);
  return operations.map((placed) => sampleRequest(document, placed, operations));
}

/** The base URL in samples and examples: that of the server that sends the docs, which fills in its origin. */
export function shownServerOf(contract: Pick<ContractDocument, 'servers'>): string {
  const [server] = absoluteServers(contract);
  return originPlaceholder + new URL(server?.url ?? '').pathname.replace(/\/$/, '');
}

type Placed = ReturnType<typeof operationsOf>[number];

/** @param creators the operations that the sample may run first */
function sampleRequest(document: ContractDocument, placed: Placed, creators: readonly Placed[]): SampleRequest {
  const { method, path, operation, parameters, responses } = placed;
  const others = method === 'GET' ? [] : creators.filter((one) => one !== placed);
  const first = others.flatMap((creator): Creation[] => {
    const name = linkedName(creator, operation.operationId);
    const request = name === undefined ? undefined : sampleRequest(document, creator, others);
    return name && request && isJsonRequest(request) ? [...request.first, { name, request }] : [];
  });
  const isCreated = (name: string) => first.some((creation) => creation.name === name);
  const withIds = (named: [string, unknown][]) =>
    Object.fromEntries(named.map(([name, value]) => [name, isCreated(name) ? variable(name) : value]));
  const body = bodyOf(document, placed.body, path);
  const values = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place && isShown(parameter))
      .map((parameter): [string, unknown] => [parameter.name, exampleOf(parameter, parameter.schema)]);
  const list = listFactsOf(document, placed);
  const cursor = list?.paging?.parameter ?? 'cursor';
  const isPaged = list !== null && parameters.some(({ name }) => name === cursor);
  const { response, accept } = responseOf(responses, path);
  const missing = responses.find(({ status }) => status === '404');
  return {
    id: operation.operationId,
    summary: operation.summary ?? operation.operationId,
    first,
    method,
    baseUrl: shownServerOf(document),
    path,
    pathValues: withIds(values('path')),
    query: Object.fromEntries(
      values('query').filter(([name, value]) => !isPaged || (name !== cursor && !Array.isArray(value))),
    ),
    headers: [...headersOf(parameters), ...accept],
    body: body?.sending === 'json' && first.length > 0 ? { ...body, value: withIds(entriesOf(body.value)) } : body,
    form: formOf(document, placed.body),
    secret: accessOf(document, operation) === 'public' ? undefined : credentialOf(document, operation),
    hasKeys: needsKeys(document),
    // The response must not overwrite the file that is sent.
    response: body?.sending === 'file' ? { ...response, file: `response-${response.file}` } : response,
    // If no identifier may be wrong, the server does not have the feature.
    notFound: first.length > 0 || path.includes('{') ? undefined : missing?.description,
  };
}

/** The name under which an operation takes the `id` of what another one creates, by the `links` of its response; undefined without one. */
function linkedName({ responses }: Placed, operationId: string): string | undefined {
  const links = responses.flatMap(({ links, headers }) => (headers?.['Location'] ? Object.values(links ?? {}) : []));
  const link = links.find((one) => one.operationId === operationId);
  const passed = entriesOf({ ...link?.parameters, ...link?.requestBody });
  return passed.find(([name, value]) => /^\w+$/.test(name) && value === '$response.body#/id')?.[0];
}

/** Samples send what is required, and what has an example of its own. */
function isShown({ required, schema, ...parameter }: Placed['parameters'][number]): boolean {
  return required === true || [parameter, schema].some((node) => examplesOf(node).length > 0);
}

/** What makes a request conditional or safe to repeat has guides of its own, so a sample sends it only if the operation requires it. */
const withGuides = ['If-None-Match', 'If-Match', 'Idempotency-Key'];

function headersOf(parameters: Placed['parameters']): SampleHeader[] {
  return parameters.flatMap((parameter): SampleHeader[] => {
    const { name, in: place, schema, required = false } = parameter;
    if (place !== 'header' || !isShown(parameter) || (withGuides.includes(name) && !required)) return [];
    // A fixed ETag would never match the current version.
    const value = name === 'If-Match' ? '*' : exampleOf(parameter, schema);
    return [{ name, value: typeof value === 'number' ? value : String(value) }];
  });
}

function bodyOf(document: ContractDocument, body: Placed['body'], path: string): SampleBody | undefined {
  const [[mediaType, media] = [], ...others] = entriesOf(body?.content);
  if (mediaType === undefined) return undefined;
  const type = { mediaType, isOneOfSeveral: others.length > 0 };
  const kind = kindOf(mediaType);
  if (kind === 'form') return undefined;
  if (kind === 'binary') return { ...type, sending: 'file', file: fileName(path, mediaType) };
  const value = exampleOf(media, resolve(document, dig(media, 'schema')));
  return kind === 'json'
    ? { ...type, sending: 'json', value }
    : { ...type, sending: 'text', text: String(value).trimEnd() };
}

/** The form with the values of the example; files last, as a server may demand. */
function formOf(document: ContractDocument, body: Placed['body']): SampleForm | undefined {
  const [[type = '', media] = []] = entriesOf(body?.content);
  if (kindOf(type) !== 'form') return undefined;
  const known = formFieldsOf(document, type, media);
  const example = exampleOf(media, resolve(document, dig(media, 'schema')));
  const fields = entriesOf(example).flatMap(([name, value]): SampleForm['fields'] => {
    const file = Object.hasOwn(known, name) ? known[name]?.file : undefined;
    if (file === undefined)
      return [value].flat().map((one) => ({ name, text: typeof one === 'object' ? JSON.stringify(one) : `${one}` }));
    const [mediaType = 'application/octet-stream'] = file.filter((range) => !range.includes('*'));
    return [{ name, file: fileName(`/${name}`, mediaType), mediaType }];
  });
  return { isMultipart: type === multipart, fields: fields.sort((a, b) => Number('file' in a) - Number('file' in b)) };
}

/** The first success, and the header with which the sample asks for its first media type if it has several. */
function responseOf(responses: Placed['responses'], path: string) {
  const [found] = ['2', '3'].flatMap((first) => responses.filter(({ status }) => status.startsWith(first)));
  const [[mediaType, media] = [], ...others] = entriesOf(found?.content);
  const isStream = dig(media, 'x-stream') === true;
  const response = {
    reading: mediaType === undefined ? 'status' : readingOf(mediaType, isStream),
    status: Number(found?.status),
    mediaType,
    example: examplesOf(media)[0],
    file: fileName(path, mediaType ?? ''),
  } satisfies SampleResponse;
  return {
    response,
    accept: mediaType === undefined || others.length === 0 ? [] : [{ name: 'Accept', value: mediaType }],
  };
}

/** The last word of the path with the media type's ending: `/notes/{noteId}/photo` as image/png gives `photo.png`. */
function fileName(path: string, mediaType: string): string {
  const word = path.split('/').findLast((part) => /^[\w-]+$/.test(part)) ?? 'file';
  const [, subtype = ''] = mediaType.split('/');
  return `${word}.${subtype.replace(/\W.*/, '')}`;
}
