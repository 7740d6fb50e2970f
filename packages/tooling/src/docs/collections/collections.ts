import { type ContractDocument, needsKeys, parameterOf } from '../../contract/document.ts';
import { credentialsOf, type SentCredential } from '../../contract/security.ts';
import { project } from '../../project.ts';
import { type PlacedOperation, placedOperations } from '../facts/contract.ts';
import { sampleRequests, shownServerOf } from '../samples/request.ts';
import { headersWithType, type SampleField, type SampleHeader, type SampleRequest } from '../samples/sample-request.ts';
import type { SiteFile } from '../site-file.ts';

export const postmanPath = `collections/${project.id}.postman_collection.json`;
export const brunoPath = `collections/${project.id}.bruno.json`;

/** Collections of every operation, to import into Postman and Bruno. The key is a variable, so that it is not shared. */
export function collections(contract: ContractDocument): SiteFile[] {
  const groups = [...savedRequests(contract)];
  return [
    { path: postmanPath, content: JSON.stringify(postmanCollection(contract, groups), null, 1) },
    { path: brunoPath, content: JSON.stringify(brunoCollection(contract, groups), null, 1) },
  ];
}

/** What the tools run after each response, for the header If-Match. */
const keepEtag = {
  postman: ["const etag = pm.response.headers.get('ETag');", "if (etag) pm.collectionVariables.set('etag', etag);"],
  bruno: ["const etag = res.getHeader('etag');", "if (etag) bru.setVar('etag', etag);"],
};

type Groups = readonly (readonly [tag: string, requests: readonly SavedRequest[]])[];

/** The format 2.1 (https://schema.getpostman.com/json/collection/v2.1.0/docs/index.html), which most other tools import, too. */
function postmanCollection(contract: ContractDocument, groups: Groups): object {
  const { info } = contract;
  const hasKeys = needsKeys(contract);
  return {
    info: {
      name: info.title,
      description: info.summary,
      version: info.version,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: hasKeys ? postmanAuth(usualCredential(groups)) : { type: 'noauth' },
    variable: [
      { key: 'baseUrl', value: shownServerOf(contract) },
      ...(hasKeys ? [{ key: 'apiKey', value: '', type: 'secret' }] : []),
      { key: 'etag', value: '' },
    ],
    event: [{ listen: 'test', script: { type: 'text/javascript', exec: keepEtag.postman } }],
    item: groups.map(([name, requests]) => ({ name, item: requests.map(postmanRequest) })),
  };
}

function postmanRequest(request: SavedRequest): object {
  const { operation, credential, isUsual, path, pathValues, query, headers, body } = request;
  const segments = path.slice(1).replaceAll(/\{([^}]+)\}/g, ':$1');
  const search = query.filter(({ isOn }) => isOn).map(({ name, value }) => `${name}=${encodeURIComponent(value)}`);
  return {
    name: operation.summary,
    request: {
      method: operation.method,
      description: operation.description?.trim() ?? '',
      ...(operation.access === 'public'
        ? { auth: { type: 'noauth' } }
        : isUsual
          ? {}
          : { auth: postmanAuth(credential) }),
      url: {
        raw: [`{{baseUrl}}/${segments}`, ...(search.length === 0 ? [] : [search.join('&')])].join('?'),
        host: ['{{baseUrl}}'],
        path: segments.split('/'),
        variable: pathValues.map(({ name, value, description }) => ({ key: name, value, description })),
        query: query.map(postmanValue),
      },
      header: headers.map(postmanValue),
      ...(body === undefined ? {} : { body: postmanBody(body) }),
    },
  };
}

function postmanBody(body: NonNullable<SavedRequest['body']>): object {
  if ('text' in body)
    return { mode: 'raw', raw: body.text, options: { raw: { language: body.isJson ? 'json' : 'text' } } };
  const mode = body.isMultipart ? 'formdata' : 'urlencoded';
  const fields = body.fields.map((field) => {
    const value = 'file' in field ? { type: 'file', src: field.file } : { type: 'text', value: field.text };
    return { key: field.name, ...value };
  });
  return { mode, [mode]: fields };
}

function postmanValue({ name, value, description, isOn }: SavedValue): object {
  return { key: name, value, description, ...(isOn ? {} : { disabled: true }) };
}

const bearer: SentCredential = { place: 'header', name: 'Authorization', prefix: 'Bearer ' };

/** The credential of the collection: that of its first request that needs any. */
function usualCredential(groups: Groups): SentCredential {
  return (
    groups.flatMap(([, requests]) => requests).find(({ isUsual, credential }) => isUsual && credential)?.credential ??
    bearer
  );
}

function isSame(one: SentCredential | undefined, other: SentCredential | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function postmanAuth({ place, name, prefix }: SentCredential = bearer): object {
  const entry = (key: string, value: string) => ({ key, value, type: 'string' });
  if (place === 'basic')
    return { type: 'basic', basic: [entry('username', '{{username}}'), entry('password', '{{apiKey}}')] };
  if (prefix === bearer.prefix) return { type: 'bearer', bearer: [entry('token', '{{apiKey}}')] };
  return { type: 'apikey', apikey: [entry('key', name), entry('value', `${prefix}{{apiKey}}`), entry('in', place)] };
}

function brunoAuth({ place, name, prefix }: SentCredential = bearer): object {
  if (place === 'basic') return { mode: 'basic', basic: { username: '{{username}}', password: '{{apiKey}}' } };
  if (prefix === bearer.prefix) return { mode: 'bearer', bearer: { token: '{{apiKey}}' } };
  const placement = place === 'query' ? 'queryparams' : 'header';
  return { mode: 'apikey', apikey: { key: name, value: `${prefix}{{apiKey}}`, placement } };
}

/** The single-file format that Bruno exports and imports. */
function brunoCollection(contract: ContractDocument, groups: Groups): object {
  const hasKeys = needsKeys(contract);
  const { info, servers } = contract;
  const shown = { url: shownServerOf(contract), description: 'The server of the docs' };
  return {
    name: info.title,
    version: '1',
    items: groups.map(([name, requests], place) => ({
      type: 'folder',
      name,
      seq: place + 1,
      items: requests.map(brunoRequest),
    })),
    environments: [shown, ...servers].map(({ url, description }) => ({
      name: description,
      variables: [
        { name: 'baseUrl', value: url, enabled: true, secret: false, type: 'text' },
        ...(hasKeys ? [{ name: 'apiKey', value: '', enabled: true, secret: true, type: 'text' }] : []),
      ],
    })),
    root: {
      request: {
        auth: hasKeys ? brunoAuth(usualCredential(groups)) : { mode: 'none' },
        script: { res: keepEtag.bruno.join('\n') },
      },
    },
  };
}

function brunoRequest(request: SavedRequest, place: number): object {
  const { operation, credential, isUsual, path, pathValues, query, headers, body } = request;
  return {
    type: 'http-request',
    name: operation.summary,
    seq: place + 1,
    request: {
      url: `{{baseUrl}}${path.replaceAll(/\{([^}]+)\}/g, ':$1')}`,
      method: operation.method,
      headers: headers.map(brunoValue),
      params: [
        ...pathValues.map((value) => ({ ...brunoValue(value), type: 'path' })),
        ...query.map((value) => ({ ...brunoValue(value), type: 'query' })),
      ],
      body: brunoBody(body),
      auth: operation.access === 'public' ? { mode: 'none' } : isUsual ? { mode: 'inherit' } : brunoAuth(credential),
      docs: operation.description?.trim() ?? '',
    },
  };
}

function brunoBody(body: SavedRequest['body']): object {
  if (body === undefined) return { mode: 'none' };
  if ('text' in body) return body.isJson ? { mode: 'json', json: body.text } : { mode: 'text', text: body.text };
  const mode = body.isMultipart ? 'multipartForm' : 'formUrlEncoded';
  const fields = body.fields.map((field) => {
    const value = 'file' in field ? { type: 'file', value: [field.file] } : { type: 'text', value: field.text };
    return { name: field.name, enabled: true, ...value };
  });
  return { mode, [mode]: fields };
}

function brunoValue({ name, value, description, isOn }: SavedValue): object {
  return { name, value, description, enabled: isOn };
}

/** `isOn` is false for an optional parameter: the request works without it, and the reader can enable it. */
type SavedValue = { name: string; value: string; description: string; isOn: boolean };

/** A request as API tools save it: with values of the contract's examples, and variables as `{{name}}`. */
type SavedRequest = {
  operation: PlacedOperation;
  /** The first of the credentials that it needs. */
  credential: SentCredential | undefined;
  /** Whether it is that of the whole collection. */
  isUsual: boolean;
  /** `/notes/{noteId}` */
  path: string;
  pathValues: SavedValue[];
  query: SavedValue[];
  headers: SavedValue[];
  /** Undefined without a body. A file is chosen in the tool, so its body is empty. */
  body: { text: string; isJson: boolean } | { isMultipart: boolean; fields: SampleField[] } | undefined;
};

/** The operations of the contract in groups, by their tags. */
function savedRequests(contract: ContractDocument): Map<string, SavedRequest[]> {
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
  const [credential] = credentialsOf(contract, operation);
  const [usual] = placedOperations(contract).filter(({ access }) => access !== 'public');
  const isUsual = usual === undefined || isSame(credential, credentialsOf(contract, usual)[0]);
  return {
    operation,
    credential,
    isUsual,
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
  if (body.sending === 'form') return { isMultipart: body.isMultipart, fields: body.fields };
  return { text: body.sending === 'text' ? body.text : '', isJson: false };
}
