import type { RecordedMessage, RecordedRequest } from './transcript.ts';

/** The origin of the server, and the header with the caller's key in an environment variable: `Authorization: Bearer $STORE_KEY`. */
export type CallTarget = { origin: string; credentials: string };

/**
 * A transcript for people, in Markdown, with a curl command for each request. Texts that callers have chosen are in code blocks and code
 * spans, which they cannot end, so that a page that shows the document runs no HTML of theirs.
 */
export function transcriptAsMarkdown(requests: readonly RecordedRequest[], target: CallTarget): string {
  const title = '# The last requests of this key, the oldest first\n';
  if (requests.length === 0) return `${title}\nThere are none.\n`;
  return [title, ...requests.map((request, index) => sectionOf(request, index, target))].join('\n');
}

function sectionOf(recorded: RecordedRequest, index: number, target: CallTarget): string {
  const { requestId, receivedAt, milliseconds, operation, code, request, response } = recorded;
  const outcome = code === undefined ? `${response.status}` : `${response.status} ${span(code)}`;
  const facts = [
    `${outcome} after ${milliseconds} ms, at ${receivedAt}.`,
    ...(operation === undefined ? [] : [`Operation: ${span(operation)}.`]),
    `Request ID: ${span(requestId)}.`,
  ];
  const sent = block('http', textOf(`${request.method} ${request.url}`, request));
  const received = block('http', textOf(`HTTP ${response.status}`, response));
  const heading = `## ${index + 1}. ${request.method} ${span(request.url)}`;
  return `${heading}\n\n${facts.join(' ')}\n\n${sent}\n${received}\n${sameCall(request, target)}`;
}

/** The most characters of a command. Escaped quotes make it up to four times as long as the request. */
const MAX_COMMAND = 8_000;

/** Headers that the library or the proxies of the caller have added. */
const ADDED =
  /^(user-agent|accept-encoding|accept-language|content-length|transfer-encoding|expect|te|via|forwarded|x-forwarded-.*|x-request-id|sec-.*|traceparent|tracestate|baggage)$/;

/** A command for a POSIX shell that sends a request again. */
function sameCall({ method, url, headers, body }: RecordedRequest['request'], target: CallTarget): string {
  const hadBody = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
  // Forms are recorded as JSON, files as their size, and a body that was refused before it was parsed not at all.
  const isText = /json|^text\//.test(headers['content-type'] ?? 'text/plain');
  const isBodyComplete = hadBody === (body !== undefined) && (isText || !hadBody);
  const isWhole = [url, ...Object.values(headers), body ?? ''].every((text) => !/_(live|test)_…|…$/.test(text));
  const option =
    method === 'HEAD' ? ['--head'] : method === (body === undefined ? 'GET' : 'POST') ? [] : [`-X ${method}`];
  const command = [
    ['curl --globoff', ...option, quoted(target.origin + url)].join(' '),
    `-H "${target.credentials}"`,
    ...Object.entries(headers)
      .filter(([name]) => !ADDED.test(name))
      .map(([name, value]) =>
        name === 'idempotency-key' ? `-H "${name}: ${RANDOM}"` : `-H ${quoted(`${name}: ${value}`)}`,
      ),
    ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(' \\\n  ');
  if (isBodyComplete && isWhole && command.length <= MAX_COMMAND) return `The same call:\n\n${block('sh', command)}`;
  return 'The same call is not shown, because its URL or body is too long, is a form or a file, or the server did not record all of it.\n';
}

/** A new Idempotency-Key for each run. Every POSIX system has `od`. */
const RANDOM = "$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')";

/** In single quotes, no character has a special meaning in a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A message as HTTP shows it. */
function textOf(firstLine: string, { headers, body }: RecordedMessage): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [firstLine, ...lines, ...(body === undefined ? [] : ['', body])].join('\n');
}

/** A code span. It begins and ends with more backticks than any that it contains (CommonMark 6.1). */
function span(text: string): string {
  const ticks = longerThanIn(text, 1);
  const space = ticks.length > 1 ? ' ' : '';
  return `${ticks}${space}${text}${space}${ticks}`;
}

/** A fenced code block, with a longer fence than any that it contains (CommonMark 4.5). */
function block(language: string, text: string): string {
  const fence = longerThanIn(text, 3);
  return `${fence}${language}\n${text}\n${fence}\n`;
}

function longerThanIn(text: string, least: number): string {
  const runs = text.match(/`+/g) ?? [];
  return '`'.repeat(Math.max(least, ...runs.map((run) => run.length + 1)));
}
