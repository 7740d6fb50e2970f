import type { BuiltRequest } from './request.ts';

/** Only the last part of a stream is shown, because a stream may never end. */
const LONGEST_TEXT = 200_000;

type Settings = { milliseconds: number; settings: DOMStringMap };

/** The request as HTTP; the key is shortened, because people share screenshots. */
export function showRequest(place: HTMLElement, url: string, { method, headers, body }: BuiltRequest['init']): void {
  const lines = [...headers].map(([name, value]) => `${name}: ${name === 'authorization' ? shortened(value) : value}`);
  const text = body instanceof File ? `(${body.name}, ${body.size} bytes)` : body;
  const message = [`${method} ${url}`, ...lines, ...(text === undefined ? [] : ['', text])].join('\n');
  place.append(heading('Request'), codeBlock(message));
}

function shortened(value: string): string {
  return value.replace(/(_[^_]{0,4})[^_]*$/, '$1…');
}

export function showProblem(place: HTMLElement, text: string): void {
  const problem = document.createElement('p');
  problem.className = 'try-problem';
  problem.textContent = text;
  place.append(problem);
}

/** Status, the headers that the operation documents, and the body as far as a page can show it. */
export async function showResponse(place: HTMLElement, response: Response, { milliseconds, settings }: Settings) {
  const status = document.createElement('p');
  status.className = `try-status ${response.ok ? 'is-ok' : 'is-error'}`;
  status.textContent = `${response.status} ${response.statusText} in ${Math.round(milliseconds)} ms`;
  place.append(heading('Response'), status);
  const documented = `${settings['headers'] ?? ''} Content-Type`.trim().split(' ');
  const headers = documented.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [`${name}: ${value}`];
  });
  if (headers.length > 0) place.append(codeBlock(headers.join('\n')));
  await showBody(place, response, settings);
}

async function showBody(place: HTMLElement, response: Response, settings: DOMStringMap): Promise<void> {
  const type = (response.headers.get('content-type') ?? '').replace(/;.*/, '');
  if (isText(type)) return showText(place, response, type, settings);
  const file = await response.blob();
  if (file.size === 0) return void place.append(paragraph('No body.'));
  const url = URL.createObjectURL(file);
  if (type.startsWith('image/')) {
    const picture = document.createElement('img');
    picture.src = url;
    picture.alt = 'The body of the response';
    place.append(picture);
  }
  const link = document.createElement('a');
  link.href = url;
  link.download = 'response';
  link.textContent = `Save the body (${file.size} bytes)`;
  place.append(link);
}

function isText(type: string): boolean {
  return type.startsWith('text/') || /[/+](json|x-ndjson|jsonl|xml|yaml)$/.test(type);
}

/** Text is shown as it arrives; JSON is indented when it is complete. */
async function showText(place: HTMLElement, response: Response, type: string, settings: DOMStringMap): Promise<void> {
  const block = codeBlock('');
  const code = block.querySelector('code');
  place.append(block);
  let text = '';
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
    text = (text + part.value).slice(-LONGEST_TEXT);
    if (code !== null) code.textContent = text;
  }
  if (text === '') return void block.replaceWith(paragraph('No body.'));
  if (!/[/+]json$/.test(type) || code === null) return;
  const body = parsed(text);
  if (body === undefined) return;
  code.textContent = JSON.stringify(body, null, 2);
  if (!response.ok) showErrorLink(place, body, settings);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function showErrorLink(place: HTMLElement, body: unknown, { errors = '' }: DOMStringMap): void {
  const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
  if (typeof code !== 'string') return;
  const link = document.createElement('a');
  link.href = `${errors}#${encodeURIComponent(code)}`;
  link.textContent = `What ${code} means and what to do about it`;
  const line = document.createElement('p');
  line.append(link);
  place.append(line);
}

function heading(text: string): HTMLElement {
  const element = document.createElement('h2');
  element.textContent = text;
  return element;
}

function paragraph(text: string): HTMLElement {
  const element = document.createElement('p');
  element.textContent = text;
  return element;
}

function codeBlock(text: string): HTMLElement {
  const block = document.createElement('div');
  const pre = document.createElement('pre');
  const code = document.createElement('code');
  block.className = 'code is-plain';
  // Scrollable elements must be reachable by keyboard.
  pre.tabIndex = 0;
  code.textContent = text;
  pre.append(code);
  block.append(pre);
  return block;
}
