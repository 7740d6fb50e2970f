import type { SampleRequest } from './request.ts';
import {
  addressOf,
  headersWithType,
  keyPlaceholder,
  type Reading,
  type SampleBody,
  type SampleHeader,
} from './request.ts';

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

/** The operation as one command for a POSIX shell. */
export function curlSample(request: SampleRequest): string {
  const { method, baseUrl, body, headers, needsKey, isRepeatable, remarks, response } = request;
  const comments = [
    ...remarks,
    ...(isRepeatable ? ['After a 429, --retry waits for Retry-After.'] : []),
    ...(headers.some((header) => 'example' in header) ? ['od makes a new Idempotency-Key for each run.'] : []),
    ...(response.reading === 'pages' ? ['The Link header has the URL of the next page.'] : []),
  ];
  const options = [
    '--fail-with-body',
    ...(isRepeatable ? ['--retry 3'] : []),
    ...readings[response.reading](request),
    ...(method === (body === undefined ? 'GET' : 'POST') ? [] : [`-X ${method}`]),
  ];
  const lines = [
    `curl ${options.join(' ')}`,
    quoted(baseUrl + addressOf(request)),
    ...(needsKey ? ['-H "Authorization: Bearer $ANIMAL_STORE_KEY"'] : []),
    ...headersWithType(request).map((header) => `-H ${headerText(header)}`),
    ...(body === undefined ? [] : [data(body)]),
  ];
  const exported = needsKey ? [`export ANIMAL_STORE_KEY='${keyPlaceholder}'`] : [];
  return [...exported, ...comments.map((line) => `# ${line}`), lines.join(' \\\n  '), ''].join('\n');
}

/** Every POSIX system has `od`; many lack `uuidgen`. */
const RANDOM = "$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')";

function headerText(header: SampleHeader): string {
  return 'value' in header ? quoted(`${header.name}: ${header.value}`) : `"${header.name}: ${RANDOM}"`;
}

function data(body: SampleBody): string {
  if (body.sending === 'json') return `-d ${quoted(JSON.stringify(body.value))}`;
  // -d would remove the line breaks of a file, and would read a file if the text starts with @.
  return body.sending === 'file' ? `--data-binary @${body.file}` : `--data-raw ${quoted(body.text)}`;
}

/** In single quotes, no character has a special meaning in a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
