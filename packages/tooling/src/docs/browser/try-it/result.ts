import { create } from '../create.ts';
import type { BuiltRequest } from './request.ts';

/** Only the last part of a stream is shown, because a stream may never end. */
const LONGEST_TEXT = 200_000;

type Settings = { milliseconds: number; settings: DOMStringMap };

/** The request as HTTP; the key is shortened, because people share screenshots. */
export function showRequest(
  place: HTMLElement,
  url: string,
  { method, headers, body }: BuiltRequest['init'],
  secret: string,
): void {
  const shown = (sent: string) => (secret === '' ? sent : sent.replaceAll(secret, shortened(secret)));
  const lines = [...headers].map(([name, value]) => shown(`${name}: ${value}`));
  const text = body === undefined ? [] : ['', body instanceof File ? `(${body.name}, ${body.size} bytes)` : body];
  const message = [`${method} ${shown(url)}`, ...lines, ...text].join('\n');
  place.append(create('h2', {}, 'Request'), codeBlock(message));
}

/** The prefix of a key and four characters more; of any other secret, four characters. */
function shortened(value: string): string {
  return /_(live|test)_/.test(value) ? value.replace(/(_[^_]{0,4})[^_]*$/, '$1…') : `${value.slice(0, 4)}…`;
}

export function showProblem(place: HTMLElement, text: string): void {
  place.append(create('p', { class: 'try-problem' }, text));
}

/** Status, the headers that the operation documents, and the body as far as a page can show it. */
export async function showResponse(place: HTMLElement, response: Response, { milliseconds, settings }: Settings) {
  const status = `${response.status} ${response.statusText} in ${Math.round(milliseconds)} ms`;
  const mark = response.ok ? 'is-ok' : 'is-error';
  place.append(create('h2', {}, 'Response'), create('p', { class: `try-status ${mark}` }, status));
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
  if (file.size === 0) return void place.append(create('p', {}, 'No body.'));
  const url = URL.createObjectURL(file);
  if (type.startsWith('image/')) place.append(create('img', { src: url, alt: 'The body of the response' }));
  place.append(create('a', { href: url, download: 'response' }, `Save the body (${file.size} bytes)`));
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
  if (text === '') return void block.replaceWith(create('p', {}, 'No body.'));
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

/** Links the code in the body of an error to what to do about it. */
export function showErrorLink(place: HTMLElement, body: unknown, { errors = '' }: DOMStringMap): void {
  const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
  if (typeof code !== 'string') return;
  const href = `${errors}#${encodeURIComponent(code)}`;
  place.append(create('p', {}, create('a', { href }, `What ${code} means and what to do about it`)));
}

/** Scrollable elements must be reachable by keyboard. */
export function codeBlock(text: string): HTMLElement {
  return create('div', { class: 'code is-plain' }, create('pre', { tabindex: '0' }, create('code', {}, text)));
}
