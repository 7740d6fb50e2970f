/** The sandbox of a key on a test server: data, quotas and a clock of its own, as the operations of its owner see it. */
export type Sandbox = {
  /** The time in the sandbox, in Unix milliseconds. */
  now(): Promise<number>;
  /**
   * Moves the time of the sandbox forward, and does what is due by then.
   *
   * @param to Unix milliseconds
   * @returns the new time; undefined if it was not moved, because it is not moved back, nor beyond the year 9998
   */
  moveClock(to: number): Promise<number | undefined>;
  /** Deletes the data, the usage and the recorded requests, and sets the clock back to the time of the server. */
  reset(): void;
  /** The last requests of the caller in the sandbox, the oldest first. */
  transcript(): Promise<readonly RecordedRequest[]>;
};

/** A request with its response. Secrets are replaced, and long bodies are cut. */
export type RecordedRequest = {
  requestId: string;
  /** When it arrived, by the clock of the sandbox, in Unix milliseconds. */
  receivedAt: number;
  milliseconds: number;
  /** The ID of the operation; undefined if the path has none. */
  operation: string | undefined;
  /** The code of the error response: the rule that refused the request. */
  code: string | undefined;
  request: RecordedMessage & { method: string; url: string };
  response: RecordedMessage & { status: number };
};

export type RecordedMessage = {
  /** By lower-case name, without credentials. */
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
};

/**
 * A transcript for people, in Markdown. Texts that callers have chosen are in code blocks and code spans, which they cannot end, so that a
 * page that shows the document runs no HTML of theirs.
 *
 * @param write the code that sends a request again
 */
export function transcriptAsMarkdown(requests: readonly RecordedRequest[], write: CallWriter): string {
  const title = '# The last requests of this key, the oldest first\n';
  if (requests.length === 0) return `${title}\nThere are none.\n`;
  return [title, ...requests.map((request, index) => sectionOf(request, index, write))].join('\n');
}

/** Writes the code that sends a request again, in a language by its name in Markdown; or says why there is none, after "because". */
export type CallWriter = (recorded: RecordedRequest) => { language: string; code: string } | { missing: string };

/** The origin of the server, and the header with the caller's key in an environment variable: `Authorization: Bearer $STORE_KEY`. */
export type CallTarget = { origin: string; credentials: string };

function sectionOf(recorded: RecordedRequest, index: number, write: CallWriter): string {
  const { requestId, receivedAt, milliseconds, operation, code, request, response } = recorded;
  const outcome = code === undefined ? `${response.status}` : `${response.status} ${span(code)}`;
  const facts = [
    `${outcome} after ${milliseconds} ms, at ${new Date(receivedAt).toISOString()}.`,
    ...(operation === undefined ? [] : [`Operation: ${span(operation)}.`]),
    `Request ID: ${span(requestId)}.`,
  ];
  const sent = textOf(`${request.method} ${request.url}`, request);
  const received = textOf(`HTTP ${response.status}`, response);
  return `## ${index + 1}. ${request.method} ${span(request.url)}\n\n${facts.join(' ')}\n\n${block('http', sent)}\n${block('http', received)}\n${sameCall(write(recorded))}`;
}

function sameCall(written: ReturnType<CallWriter>): string {
  if ('missing' in written) return `The same call is not shown, because ${written.missing}.\n`;
  return `The same call:\n\n${block(written.language, written.code)}`;
}

/** The most characters of a command. Escaped quotes make it up to four times as long as the request. */
const MAX_COMMAND = 8_000;

/** Headers that the library or the proxies of the caller have added. */
const ADDED =
  /^(user-agent|accept-encoding|accept-language|content-length|transfer-encoding|expect|te|via|forwarded|x-forwarded-.*|x-request-id|sec-.*|traceparent|tracestate|baggage)$/;

/** Writes requests as commands for a POSIX shell. */
export function curlCalls(target: CallTarget): CallWriter {
  return ({ request }) => curlCall(request, target);
}

function curlCall(
  { method, url, headers, body }: RecordedRequest['request'],
  target: CallTarget,
): ReturnType<CallWriter> {
  const hadBody = hasBody(headers);
  // Forms are recorded as JSON, files as their size.
  const isText = /json|^text\//.test(headers['content-type'] ?? 'text/plain');
  const texts = [url, ...Object.values(headers), body ?? ''];
  const isComplete = hadBody === (body !== undefined) && (isText || !hadBody) && texts.every(isWhole);
  const option =
    method === 'HEAD' ? ['--head'] : method === (body === undefined ? 'GET' : 'POST') ? [] : [`-X ${method}`];
  const lines = [
    ['curl --globoff', ...option, quoted(target.origin + url)].join(' '),
    `-H "${target.credentials}"`,
    ...Object.entries(headers)
      .filter(([name]) => !ADDED.test(name))
      .map(
        ([name, value]) => `-H ${name === 'idempotency-key' ? `"${name}: ${RANDOM}"` : quoted(`${name}: ${value}`)}`,
      ),
    ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
  ];
  const code = lines.join(' \\\n  ');
  if (isComplete && code.length <= MAX_COMMAND) return { language: 'sh', code };
  return {
    missing: 'its URL or body is too long, is a form or a file, or the server did not record all of it',
  };
}

/** Whether a request had a body. A body that the server has refused before it was parsed is not recorded. */
export function hasBody(headers: RecordedMessage['headers']): boolean {
  return Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
}

/** Whether a recorded text is neither cut nor without a secret. */
export function isWhole(text: string): boolean {
  return !/_(live|test)_…|…$/.test(text);
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
