import type { RecordedMessage, RecordedRequest } from './transcript.ts';

/**
 * A transcript for people, in Markdown. Texts that callers have chosen are in code blocks and code spans, which they cannot end, so that a
 * page that shows the document runs no HTML of theirs.
 */
export function transcriptAsMarkdown(requests: readonly RecordedRequest[]): string {
  const title = '# The last requests of this key, the oldest first\n';
  if (requests.length === 0) return `${title}\nThere are none.\n`;
  return [title, ...requests.map((request, index) => sectionOf(request, index))].join('\n');
}

function sectionOf(recorded: RecordedRequest, index: number): string {
  const { requestId, receivedAt, milliseconds, operation, code, request, response } = recorded;
  const outcome = code === undefined ? `${response.status}` : `${response.status} ${span(code)}`;
  const facts = [
    `${outcome} after ${milliseconds} ms, at ${receivedAt}.`,
    ...(operation === undefined ? [] : [`Operation: ${span(operation)}.`]),
    `Request ID: ${span(requestId)}.`,
  ];
  const sent = block(textOf(`${request.method} ${request.url}`, request));
  const received = block(textOf(`HTTP ${response.status}`, response));
  const heading = `## ${index + 1}. ${request.method} ${span(request.url)}`;
  return `${heading}\n\n${facts.join(' ')}\n\n${sent}\n${received}`;
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
function block(text: string): string {
  const fence = longerThanIn(text, 3);
  return `${fence}http\n${text}\n${fence}\n`;
}

function longerThanIn(text: string, least: number): string {
  const runs = text.match(/`+/g) ?? [];
  return '`'.repeat(Math.max(least, ...runs.map((run) => run.length + 1)));
}
