/** The samples of requests that were recorded in a sandbox. Runs in the browser. */
import { hasBody, isWhole, type RecordedRequest } from '@contract-first/service/transcript';
import type { SampleBody, SampleHeader, SampleRequest } from './sample-request.ts';

/** What the sample of a recorded request takes from the contract. */
export type RecordedTemplate = Omit<SampleRequest, 'steps' | 'baseUrl' | 'isKeySet'> & {
  /** An example of each query parameter, for its type. */
  queryExamples: Record<string, unknown>;
  /** The headers that are parameters of the operation. */
  headerNames: string[];
};

/**
 * The same request for the writers of samples, without the steps that samples have, because it has the values of the reader. Undefined if
 * there is no operation, or the transcript has only a part of the URL or the body.
 */
export function recordedRequest(
  templates: Readonly<Record<string, RecordedTemplate>>,
  { operation = '', request }: Pick<RecordedRequest, 'operation' | 'request'>,
  baseUrl: string,
): SampleRequest | undefined {
  const found = Object.hasOwn(templates, operation) ? templates[operation] : undefined;
  if (found === undefined) return undefined;
  const { queryExamples, headerNames, ...template } = found;
  const { pathname, search } = new URL(request.url, baseUrl);
  const pathValues = valuesIn(template.path, pathname.slice(new URL(baseUrl).pathname.replace(/\/$/, '').length));
  const body = bodyOf(template.body, request);
  const isOther = request.method !== template.method || !isWhole(request.url);
  if (isOther || pathValues === undefined || body === undefined) return undefined;
  const accept = request.headers['accept'] ?? '*/*';
  const isText = accept.startsWith('text/');
  return {
    ...template,
    steps: [],
    isKeySet: true,
    baseUrl,
    pathValues,
    query: queryOf(new URLSearchParams(search), queryExamples),
    headers: [
      ...headerNames.flatMap((name) => headerOf(name, request.headers)),
      ...(template.headers.some(({ name }) => name === 'Accept') && accept !== '*/*'
        ? [{ name: 'Accept', value: accept }]
        : []),
    ],
    body: body.sent,
    entry: undefined,
    remarks: template.remarks.filter((remark) => !remark.startsWith('*')),
    response: { ...template.response, reading: isText ? 'text' : onePage(template.response.reading) },
  };
}

/** The recorded request was for one page. */
function onePage(reading: SampleRequest['response']['reading']): SampleRequest['response']['reading'] {
  return reading === 'pages' ? 'json' : reading;
}

/** The values of `/notes/{noteId}` in `/notes/7`. */
function valuesIn(path: string, actual: string): Record<string, string | number> | undefined {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
  const pattern = path.split(/\{[^}]+\}/).map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const found = new RegExp(`^${pattern.join('([^/]*)')}$`).exec(actual);
  if (found === null) return undefined;
  const texts = found.slice(1).map(decoded);
  if (texts.includes(undefined)) return undefined;
  return Object.fromEntries(names.map((name, index) => [name, numberOrText(texts[index] ?? '')]));
}

/** Undefined if the text is not encoded as URLs are, because the code would send another one. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function numberOrText(text: string): string | number {
  return String(Number(text)) === text ? Number(text) : text;
}

/** The parameters with the types that the contract gives them, so that the client's types accept them. */
function queryOf(sent: URLSearchParams, examples: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    [...new Set(sent.keys())].map((name) => {
      const example = Object.hasOwn(examples, name) ? examples[name] : '';
      const [item] = [example].flat();
      const values = sent.getAll(name).map((text) => (typeof item === 'string' ? text : typed(text)));
      return [name, Array.isArray(example) || values.length > 1 ? values : values[0]];
    }),
  );
}

function typed(text: string): string | number | boolean {
  return text === 'true' || text === 'false' ? text === 'true' : numberOrText(text);
}

/** A recorded Idempotency-Key would send the old response again, so a sample makes a new one. */
function headerOf(name: string, sent: Readonly<Record<string, string>>): SampleHeader[] {
  const value = sent[name.toLowerCase()];
  if (value === undefined) return [];
  return [name === 'Idempotency-Key' ? { name, example: value } : { name, value }];
}

function bodyOf(
  template: SampleBody | undefined,
  { headers, body: sent }: RecordedRequest['request'],
): { sent: SampleBody | undefined } | undefined {
  const hadBody = hasBody(headers);
  if (template === undefined) return hadBody || sent !== undefined ? undefined : { sent: undefined };
  if (sent === undefined && template.sending !== 'file') return hadBody ? undefined : { sent: undefined };
  if (sent === undefined) return { sent: hadBody ? template : undefined };
  const { sending } = template;
  // The transcript has the number of bytes of a file.
  if (sending === 'file') return { sent: template };
  const value = isWhole(sent) ? (sending === 'text' ? sent : parsed(sent)) : undefined;
  if (value === undefined) return undefined;
  if (sending === 'text') return { sent: { ...template, text: sent } };
  if (sending === 'json') return { sent: { ...template, value } };
  const files = template.fields.filter((field) => 'file' in field);
  const texts = Object.entries(Object(value)).flatMap(([name, one]) =>
    [one].flat().map((item) => ({ name, isList: Array.isArray(one), value: item, text: textOf(item) })),
  );
  return { sent: { ...template, fields: [...texts, ...files] } };
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Undefined for a text that is cut, or was never JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
