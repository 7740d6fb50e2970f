import { kindOf } from '../../contract/document.ts';

/** The request that the samples of an operation send in every language, and what they do with the response. */
export type SampleRequest = {
  id: string;
  /** In upper case. */
  method: string;
  /** See `shownServerOf`. */
  baseUrl: string;
  /** As in the contract, `/notes/{noteId}`. */
  path: string;
  pathValues: Record<string, string | number>;
  /** Every query parameter. A list leaves out what selects a page, and the arrays, which select few entries. */
  query: Record<string, unknown>;
  /** Without the header with the secret and the `Content-Type` of the body. */
  headers: SampleHeader[];
  body: SampleBody | undefined;
  /** The form to send, which only curl has a short way for. */
  form: SampleForm | undefined;
  /** Undefined for a public operation. */
  secret: SecretHeader | undefined;
  /** Whether any operation of the API asks for a key. */
  hasKeys: boolean;
  response: SampleResponse;
  /** Sentences for the comments at the top of the sample. */
  remarks: string[];
  names: SampleNames;
};

/** The names of the API and of its client in the code. */
export type SampleNames = {
  /** Stands for the key of the reader. */
  keyPlaceholder: string;
  /** The environment variable of the key that the client sends. */
  keyVariable: string;
  createClient: string;
  clientPackage: string;
};

export type SampleHeader = { name: string; value: string | number };

/** A form, with a field for each value of a list: a text, or a file with its media type. */
export type SampleForm = {
  isMultipart: boolean;
  fields: ({ name: string } & ({ text: string } | { file: string; mediaType: string }))[];
};

type JsonBody = { sending: 'json'; value: unknown };

/** The body to send: a JSON value, a text, or the bytes of a file. */
export type SampleBody = {
  mediaType: string;
  /** Whether the contract documents other media types for the body, too. */
  isOneOfSeveral: boolean;
} & (JsonBody | { sending: 'text'; text: string } | { sending: 'file'; file: string });

/** A request that has a short form in every language. */
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
  /** Undefined for a response without a body. */
  mediaType: string | undefined;
  /** The name of the JSON value in the code: `note`, or `data` for a list. */
  name: string;
  /** The first example; for lines and events, an example of one item. */
  example: unknown;
  /** The file that a binary body is saved as. */
  file: string;
};

/** A header that ends in a secret, which is in an environment variable. */
export type SecretHeader = { name: string; prefix: string; variable: string };

/** How a sample prints a response with this media type. */
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

/** The headers of a request, including the Content-Type of its body, which most libraries set themselves for JSON. */
export function headersWithType(request: SampleRequest): SampleHeader[] {
  const { headers, body } = request;
  if (body === undefined) return headers;
  return [...headers, { name: 'Content-Type', value: body.mediaType }];
}
