import { kindOf } from '../../contract/document.ts';
import type { SentCredential } from '../../contract/security.ts';

/** The request that the samples of an operation send in every language, and what they do with the response. */
export type SampleRequest = {
  id: string;
  summary: string;
  /** The requests that create what this one uses up, so that its sample can run again. */
  first: Creation[];
  method: string;
  baseUrl: string;
  path: string;
  pathValues: Record<string, unknown>;
  /** A list leaves out what selects a page, and the arrays, which select few entries. */
  query: Record<string, unknown>;
  /** Without the header with the secret and the `Content-Type` of the body. */
  headers: SampleHeader[];
  body: SampleBody | undefined;
  form: SampleForm | undefined;
  secret: SentCredential | undefined;
  hasKeys: boolean;
  response: SampleResponse;
  /** Why the response may be 404, for a comment at the top of the sample. */
  notFound: string | undefined;
};

/** A request that creates a resource, and the name of the resource's `id` in later requests. */
export type Creation = { name: string; request: JsonRequest };

/** The calls of a sample. If there are several, each has a comment. */
export function callsOf<Request extends SampleRequest>(request: Request, comment: '#' | '//') {
  const calls: { name?: string; request: Request | JsonRequest }[] = [...request.first, { request }];
  return calls.map((call) => ({ ...call, title: calls.length > 1 ? `${comment} ${call.request.summary}\n` : '' }));
}

/** Stands for a variable in the texts of a request. */
export const variable = (name: string) => `variable~${name}~`;

/** Replaces what stands for variables by code. */
export function withVariables(text: string, code: (name: string) => string): string {
  return text.replaceAll(/variable~(\w+)~/g, (_, name: string) => code(name));
}

/** A text as code in a language in which JSON strings are strings. With variables, it is a sum. */
export function concatenated(text: string, plus: '+' | ' + '): string {
  const code = withVariables(JSON.stringify(text), (name) => `"${plus}${name}${plus}"`);
  return code.replaceAll(/^"" ?\+ ?| ?\+ ?""$/g, '');
}

/** The JSON of a body. A variable in it is a number. */
export const jsonOf = ({ value }: JsonBody) => JSON.stringify(value).replaceAll(/"(variable~\w+~)"/g, '$1');

export type SampleHeader = { name: string; value: string | number };

/** A form, with a field for each value of a list: a text, or a file with its media type. */
export type SampleForm = {
  isMultipart: boolean;
  fields: ({ name: string } & ({ text: string } | { file: string; mediaType: string }))[];
};

type JsonBody = { sending: 'json'; value: unknown };

export type SampleBody = {
  mediaType: string;
  /** Whether the contract documents other media types for the body, too. */
  isOneOfSeveral: boolean;
} & (JsonBody | { sending: 'text'; text: string } | { sending: 'file'; file: string });

export type JsonRequest = SampleRequest & { body: (SampleBody & JsonBody) | undefined };

/** Files, streams and forms have a short form in curl only. */
export function isJsonRequest(request: SampleRequest): request is JsonRequest {
  const { body, form, response } = request;
  const isSent = form === undefined && (body === undefined || body.sending === 'json');
  return isSent && (response.reading === 'json' || response.reading === 'status');
}

/** How a sample prints a response: its status if it has no body, its JSON, its text, or each line as it arrives; or it saves a file. */
export type Reading = 'status' | 'json' | 'text' | 'lines' | 'file';

export type SampleResponse = {
  reading: Reading;
  status: number;
  mediaType: string | undefined;
  /** The first example; for lines and events, an example of one item. */
  example: unknown;
  file: string;
};

export function readingOf(mediaType: string, isStream: boolean): Reading {
  const kind = kindOf(mediaType);
  if (kind === 'json') return 'json';
  if (kind === 'text') return isStream ? 'lines' : 'text';
  return kind === 'lines' || kind === 'events' ? 'lines' : 'file';
}

/** The whole URL. An array repeats its parameter. */
export function urlOf({ baseUrl, path, pathValues, query }: SampleRequest): string {
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(String(pathValues[name])));
  const values = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  return `${baseUrl}${filled}${values.length === 0 ? '' : `?${new URLSearchParams(values)}`}`;
}

/** The headers of a request, with the key and the Content-Type of its body, which most libraries set themselves for JSON. */
export function allHeaders({ secret, headers, body }: SampleRequest): { name: string; value: string }[] {
  return [
    ...(secret ? [{ name: secret.name, value: `${secret.prefix}${variable('key')}` }] : []),
    ...headers.map(({ name, value }) => ({ name, value: String(value) })),
    ...(body ? [{ name: 'Content-Type', value: body.mediaType }] : []),
  ];
}
