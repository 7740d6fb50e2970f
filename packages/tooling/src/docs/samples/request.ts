import { originPlaceholder } from '@contract-first/service/manifest';
import { dig, entriesOf } from '../../common/json.ts';
import { type ContractDocument, keyPrefix, kindOf, needsKeys, operationsOf, resolve } from '../../contract/document.ts';
import { exampleOf, examplesOf } from '../../contract/examples.ts';
import { formFieldsOf, multipart } from '../../contract/forms.ts';
import { contractDocument } from '../../contract/generated.ts';
import { listFactsOf } from '../../contract/pagination.ts';
import { credentialOf } from '../../contract/security.ts';
import { absoluteServers } from '../../generate/constants.ts';
import { typeName } from '../../generate/type-names.ts';
import { project } from '../../project.ts';
import { schemaName } from '../operations/fields.ts';
import { accessOf } from '../operations/placed.ts';
import {
  readingOf,
  type SampleBody,
  type SampleForm,
  type SampleHeader,
  type SampleNames,
  type SampleRequest,
  type SampleResponse,
  type SecretHeader,
} from './sample-request.ts';

/** Stands for the reader's key in samples. */
export const keyPlaceholder = `${keyPrefix(contractDocument()) ?? 'key'}_test_YOUR_KEY`;

/** The names of this project. */
const sampleNames: SampleNames = {
  keyPlaceholder,
  keyVariable: `${project.variables}_KEY`,
  createClient: project.createClient,
  clientPackage: project.clientPackage,
};

/** The sample request of every operation, made from the examples of the contract. */
export function sampleRequests(document: ContractDocument): SampleRequest[] {
  return operationsOf(document).map((placed) => sampleRequest(document, placed));
}

/** The base URL in samples and examples: that of the server that sends the docs, which fills in its origin. */
export function shownServerOf(contract: Pick<ContractDocument, 'servers'>): string {
  const [server] = absoluteServers(contract);
  return originPlaceholder + new URL(server?.url ?? '').pathname.replace(/\/$/, '');
}

type Placed = ReturnType<typeof operationsOf>[number];

function sampleRequest(document: ContractDocument, placed: Placed): SampleRequest {
  const { method, path, operation, parameters } = placed;
  const values = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map((parameter): [string, unknown] => [parameter.name, exampleOf(parameter, parameter.schema)]);
  const list = listFactsOf(document, placed);
  const cursor = list?.paging?.parameter ?? 'cursor';
  const isPaged = list !== null && parameters.some(({ name }) => name === cursor);
  const { response, accept } = responseOf(document, operation, path);
  return {
    id: operation.operationId,
    method,
    baseUrl: shownServerOf(document),
    path,
    pathValues: Object.fromEntries(values('path').map(([name, value]) => [name, plain(value)])),
    query: Object.fromEntries(
      values('query').filter(([name, value]) => !isPaged || (name !== cursor && !Array.isArray(value))),
    ),
    headers: [...headersOf(parameters), ...accept],
    body: bodyOf(document, operation.requestBody, path),
    form: formOf(document, operation.requestBody),
    secret: secretOf(document, operation),
    hasKeys: needsKeys(document),
    response,
    remarks: [...deprecationOf(operation), ...identifierOf(document, path), ...versionOf(parameters)],
    names: sampleNames,
  };
}

function secretOf(document: ContractDocument, operation: Placed['operation']): SecretHeader | undefined {
  const sent = accessOf(document, operation) === 'public' ? undefined : credentialOf(document, operation);
  return sent && { ...sent, variable: sampleNames.keyVariable };
}

function plain(value: unknown): string | number {
  return typeof value === 'number' ? value : String(value);
}

/** What makes a request conditional or safe to repeat has guides of its own, so a sample sends it only if the operation requires it. */
const withGuides = ['If-None-Match', 'If-Match', 'Idempotency-Key'];

function headersOf(parameters: Placed['parameters']): SampleHeader[] {
  return parameters.flatMap((parameter): SampleHeader[] => {
    const { name, in: place, schema, required = false } = parameter;
    if (place !== 'header' || (withGuides.includes(name) && !required)) return [];
    // A fixed ETag would never match the current version.
    return [{ name, value: name === 'If-Match' ? '*' : plain(exampleOf(parameter, schema)) }];
  });
}

/** Resources may belong to the key that created them. */
function identifierOf({ paths }: ContractDocument, path: string): string[] {
  const [collection = ''] = path.split('/{');
  const creator = path === collection ? undefined : paths[collection]?.post?.operationId;
  return creator === undefined ? [] : [`Replace the identifier with one that ${creator} returned.`];
}

function versionOf(parameters: Placed['parameters']): string[] {
  return headersOf(parameters).some(({ name }) => name === 'If-Match')
    ? ['* matches any version. Send an ETag instead to change only the version that you read.']
    : [];
}

function bodyOf(document: ContractDocument, requestBody: unknown, path: string): SampleBody | undefined {
  const [[mediaType, media] = [], ...others] = entriesOf(dig(resolve(document, requestBody), 'content'));
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
function formOf(document: ContractDocument, requestBody: unknown): SampleForm | undefined {
  const [[type = '', media] = []] = entriesOf(dig(resolve(document, requestBody), 'content'));
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
function responseOf(
  document: ContractDocument,
  operation: Placed['operation'],
  path: string,
): { response: SampleResponse; accept: SampleHeader[] } {
  const entries = Object.entries(operation.responses);
  const [status, node] =
    entries.find(([status]) => status.startsWith('2')) ?? entries.find(([status]) => status.startsWith('3')) ?? [];
  const [[mediaType, media] = [], ...others] = entriesOf(dig(resolve(document, node), 'content'));
  const schema = dig(media, 'schema');
  const items = dig(resolve(document, schema), 'items');
  const isStream = dig(media, 'x-stream') === true;
  const response = {
    reading: mediaType === undefined ? 'status' : readingOf(mediaType, isStream),
    status: Number(status),
    mediaType,
    name: items === undefined ? nameOf(schema) : 'data',
    example: examplesOf(media)[0],
    file: fileName(path, mediaType ?? ''),
  } satisfies SampleResponse;
  return {
    response,
    accept: mediaType === undefined || others.length === 0 ? [] : [{ name: 'Accept', value: mediaType }],
  };
}

/** A schema's name as a variable: `#/components/schemas/NewNote` gives `newNote`. */
function nameOf(schema: unknown): string {
  const name = schemaName(schema) === '' ? '' : typeName(schemaName(schema));
  return name === '' ? 'result' : `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

const endings: Record<string, string> = { 'octet-stream': 'bin', jpeg: 'jpg', 'svg+xml': 'svg' };

/** The last word of the path with the media type's ending: `/notes/{noteId}/photo` as image/png gives `photo.png`. */
function fileName(path: string, mediaType: string): string {
  const word = path.split('/').findLast((part) => /^[\w-]+$/.test(part)) ?? 'file';
  const [, subtype = ''] = mediaType.split('/');
  return `${word}.${endings[subtype] ?? subtype.replace(/\W.*/, '')}`;
}

function deprecationOf(operation: object): string[] {
  const deprecation = dig(operation, 'x-deprecation');
  const [sunset, successor] = [dig(deprecation, 'sunset'), dig(deprecation, 'successor')];
  if (typeof sunset !== 'string') return [];
  return [`Deprecated: will be removed on ${sunset.slice(0, 10)}. Use ${String(successor)} instead.`];
}
