import { kindOf } from '../../contract/document.ts';
import { type SampleStep, Stored } from './steps.ts';

/** The request that the samples of an operation send in every language, and what they do with the response. */
export type SampleRequest = {
  id: string;
  /** The summary of the operation, as a sentence. */
  summary: string;
  /** The requests that the sample sends first. */
  steps: SampleStep[];
  /** In upper case. */
  method: string;
  /** See `shownServerOf`. */
  baseUrl: string;
  /** As in the contract, `/notes/{noteId}`. */
  path: string;
  pathValues: Record<string, string | number | Stored>;
  /** Every query parameter. A list leaves out what selects a page and the arrays, because single entries have no next page. */
  query: Record<string, unknown>;
  /** Without `Authorization` and the `Content-Type` of the body. */
  headers: SampleHeader[];
  body: SampleBody | undefined;
  /** The headers with secrets; a public operation has none. */
  secrets: SecretHeader[];
  /** Whether the reader has set the variables of the secrets, so that a command for a shell does not set them. */
  isKeySet: boolean;
  /** Whether any operation of the API asks for a key. */
  hasKeys: boolean;
  /** Whether it may be sent again if its response was lost. */
  isRepeatable: boolean;
  response: SampleResponse;
  /** The property of an error that says what is wrong. */
  errorText: 'message' | 'detail';
  /** The name of an entry of the list that the client iterates over, in the code; undefined for other responses. */
  entry: string | undefined;
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

/** A header with a fixed value, or with a new UUID for each request (`example` is one). */
export type SampleHeader = { name: string } & ({ value: string | number | Stored } | { example: string });

/** A field of a form, once for each value of a list: a text, or a file with its media type. */
export type SampleField = { name: string; isList: boolean } & (
  | { text: string; value: unknown }
  | { file: string; mediaType: string }
);

/** The body to send: a JSON value, a text, the bytes of a file, or a form. */
export type SampleBody = {
  mediaType: string;
  /** Whether the contract documents other media types for the body, too. */
  isOneOfSeveral: boolean;
} & (
  | { sending: 'json'; value: unknown }
  | { sending: 'text'; text: string }
  | { sending: 'file'; file: string }
  | { sending: 'form'; isMultipart: boolean; fields: SampleField[] }
);

/**
 * How a sample prints a response: its status if it has no body, its JSON, each entry of each page of a list, its text,
 * each line of a text as it arrives, each line or event as JSON; or it saves the body as a file.
 */
export type Reading = 'status' | 'json' | 'pages' | 'text' | 'lines' | 'jsonLines' | 'events' | 'file';

export type SampleResponse = {
  reading: Reading;
  status: number;
  /** Undefined for a response without a body. */
  mediaType: string | undefined;
  /** The name of the JSON value, or of one entry of it, in the code: `note`. */
  name: string;
  /** The first example; for lines and events, an example of one item. */
  example: unknown;
  /** The file that a binary body is saved as. */
  file: string;
};

/** A header that ends in a secret, which is in an environment variable. */
export type SecretHeader = { name: string; prefix: string; variable: string };

/** How a sample prints a response with this media type. */
export function readingOf(mediaType: string, { isPaged, isStream }: { isPaged: boolean; isStream: boolean }): Reading {
  const kind = kindOf(mediaType);
  if (kind === 'json') return isPaged ? 'pages' : 'json';
  if (kind === 'text') return isStream ? 'lines' : 'text';
  if (kind === 'lines') return 'jsonLines';
  return kind === 'events' ? 'events' : 'file';
}

/** The path and the query of the URL, with their values and, as code, the variables. An array repeats its parameter. */
export function addressOf(
  { path, pathValues, query }: SampleRequest,
  code: (variable: string) => string = () => '',
): string {
  const text = (value: unknown) => (value instanceof Stored ? code(value.variable) : encodeURIComponent(String(value)));
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => text(pathValues[name]));
  const search = Object.entries(query).flatMap(([name, value]) =>
    [value]
      .flat()
      .map((one) => (one instanceof Stored ? `${name}=${text(one)}` : `${new URLSearchParams([[name, String(one)]])}`)),
  );
  return search.length === 0 ? filled : `${filled}?${search.join('&')}`;
}

/** The fields of a form as application/x-www-form-urlencoded. */
export function urlEncodedText(fields: readonly SampleField[]): string {
  return `${new URLSearchParams(fields.flatMap((field) => ('text' in field ? [[field.name, field.text]] : [])))}`;
}

/** The Content-Type of the texts of `formParts`. */
export const multipartType = 'multipart/form-data; boundary=form-boundary';

/** A form as multipart/form-data, for languages whose standard library has no such forms: texts, and the files between them. */
export function formParts(fields: readonly SampleField[]): ({ text: string } | { file: string })[] {
  const parts = fields.flatMap((field) => {
    const disposition = `--form-boundary\r\nContent-Disposition: form-data; name="${field.name}"`;
    if ('text' in field) return [{ text: `${disposition}\r\n\r\n${field.text}\r\n` }];
    const head = `${disposition}; filename="${field.file}"\r\nContent-Type: ${field.mediaType}\r\n\r\n`;
    return [{ text: head }, { file: field.file }, { text: '\r\n' }];
  });
  return [...parts, { text: '--form-boundary--\r\n' }];
}

/** All requests that a sample sends, in their order. */
export function allRequests(request: SampleRequest): SampleRequest[] {
  return [...request.steps.map((step) => step.request), request];
}

/** The headers of a request, including the Content-Type of its body, which most libraries set themselves for JSON. */
export function headersWithType({ headers, body }: SampleRequest): SampleHeader[] {
  // The boundary of multipart/form-data is in its Content-Type, and chosen by what sends it.
  return body === undefined || (body.sending === 'form' && body.isMultipart)
    ? headers
    : [...headers, { name: 'Content-Type', value: body.mediaType }];
}
