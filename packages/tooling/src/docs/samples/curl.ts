import {
  addressOf,
  allRequests,
  headersWithType,
  type Reading,
  type SampleBody,
  type SampleField,
  type SampleHeader,
  type SampleRequest,
} from './sample-request.ts';

import { jsonParts, type SampleStep, Stored, snake } from './steps.ts';

/** The options for curl to print a response or to save it. */
const readings: Record<Reading, (request: SampleRequest) => string[]> = {
  status: () => [`--write-out '%{http_code}\\n'`],
  json: () => [],
  pages: () => ['--include'],
  text: () => [],
  lines: () => ['--no-buffer'],
  jsonLines: () => ['--no-buffer'],
  events: () => ['--no-buffer'],
  file: ({ response }) => [`--output ${response.file}`],
};

/** The operation as one command for a POSIX shell, after one command for each step. A failed step ends the chain. */
export function curlSample(request: SampleRequest): string {
  const { secrets, remarks, response, steps, summary } = request;
  const commands = [
    ...steps.flatMap(stepLines),
    ...(steps.length === 0 ? [] : [comment(summary)]),
    command(request, ['--fail-with-body'], readings[response.reading](request)),
  ].join('\n');
  const comments = [
    ...remarks,
    ...(steps.length === 0 ? [] : ['%header needs curl 7.84 or newer.']),
    ...(allRequests(request).some(({ isRepeatable }) => isRepeatable)
      ? ['After a 429, --retry waits for Retry-After.']
      : []),
    ...(commands.includes(RANDOM) ? ['od makes a new Idempotency-Key for each run.'] : []),
    ...(response.reading === 'pages' ? ['The Link header has the URL of the next page.'] : []),
  ];
  const exported = (request.isKeySet ? [] : secrets).map(
    ({ variable }) => `export ${variable}='${request.names.keyPlaceholder}'`,
  );
  return [...exported, ...comments.map(comment), commands, ''].join('\n');
}

function stepLines({ request, from, stores }: SampleStep): string[] {
  const name = snake(stores.variable);
  const print = (header: string) =>
    command(
      request,
      ['--silent --show-error --fail'],
      ['--output /dev/null', `\\\n  --write-out '%header{${header}}'`],
    );
  return [
    comment(request.summary),
    `${name}=$(${print(from === 'id' ? 'location' : 'etag')}) &&`,
    ...(from === 'id' ? [`${name}=\${${name}##*/} &&`] : []),
  ];
}

function comment(line: string): string {
  return `# ${line}`;
}

function command(request: SampleRequest, failing: string[], reading: string[]): string {
  const { method, baseUrl, body, secrets, isRepeatable } = request;
  const options = [
    ...failing,
    ...(isRepeatable ? ['--retry 3'] : []),
    ...reading,
    ...(method === (body === undefined ? 'GET' : 'POST') ? [] : [method === 'HEAD' ? '--head' : `-X ${method}`]),
  ];
  const lines = [
    `curl ${options.join(' ')}`,
    url(baseUrl, request),
    ...secrets.map(({ name, prefix, variable }) => `-H "${name}: ${prefix}$${variable}"`),
    ...headersWithType(request).map((header) => `-H ${headerText(header)}`),
    ...(body === undefined ? [] : data(body)),
  ];
  return lines.join(' \\\n  ');
}

function url(baseUrl: string, request: SampleRequest): string {
  const address = addressOf(request, (variable) => `$${snake(variable)}`);
  // A URL contains none of the other characters that are special in double quotes.
  return address.includes('$') ? `"${baseUrl}${address}"` : quoted(baseUrl + address);
}

/** Every POSIX system has `od`; many lack `uuidgen`. */
const RANDOM = "$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')";

function headerText(header: SampleHeader): string {
  if (!('value' in header)) return `"${header.name}: ${RANDOM}"`;
  const { name, value } = header;
  return value instanceof Stored ? `"${name}: $${snake(value.variable)}"` : quoted(`${name}: ${value}`);
}

function data(body: SampleBody): string[] {
  if (body.sending === 'json') return [`-d ${json(body.value)}`];
  if (body.sending === 'form') return body.fields.map((field) => formField(field, body.isMultipart));
  // -d would remove the line breaks of a file, and would read a file if the text starts with @.
  return [body.sending === 'file' ? `--data-binary @${body.file}` : `--data-raw ${quoted(body.text)}`];
}

/** -F would read a file if the text starts with @ or <, and end it at a semicolon. */
function formField(field: SampleField, isMultipart: boolean): string {
  const { name } = field;
  if ('file' in field) return `-F ${quoted(`${name}=@${field.file};type=${field.mediaType}`)}`;
  return `${isMultipart ? '--form-string' : '--data-urlencode'} ${quoted(`${name}=${field.text}`)}`;
}

function json(value: unknown): string {
  const parts = jsonParts(value);
  if (parts.length === 1) return quoted(parts.join(''));
  const escaped = parts.map((part) =>
    part instanceof Stored ? `$${snake(part.variable)}` : part.replaceAll(/["\\$`]/g, '\\$&'),
  );
  return `"${escaped.join('')}"`;
}

/** In single quotes, no character has a special meaning in a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
