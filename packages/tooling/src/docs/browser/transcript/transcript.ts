/** The requests of the reader's key in its sandbox. Loaded by the page that shows them. */
import {
  type CallWriter,
  type RecordedMessage,
  type RecordedRequest,
  transcriptAsMarkdown,
} from '@contract-first/service/transcript';
import { languages, sampleLanguages, samplesFor } from '../../samples/languages.ts';
import { type RecordedTemplate, recordedRequest } from '../../samples/recorded.ts';
import { create } from '../create.ts';
import { recall } from '../stored.ts';
import { copy, startCopyButtons, startTabs } from '../tabs.ts';
import { codeBlock, showErrorLink, showProblem } from '../try-it/result.ts';
import { type PageState, prepareKey, prepareServer, problemOf, requestOf } from '../try-it/try-it.ts';
import { recordingsIn } from './recording.ts';

type Templates = Readonly<Record<string, RecordedTemplate>>;

/** Starts the form, and the buttons for the Markdown of the same requests. */
export function start(place: HTMLElement, pageState: PageState): void {
  const form = place.querySelector('form');
  const said = document.querySelector<HTMLElement>('.transcript-said');
  const entries = document.querySelector<HTMLElement>('.transcript-entries');
  if (form === null || said === null || entries === null) return;
  const templates = loadTemplates(new URL(place.dataset['samples'] ?? '', document.baseURI).href);
  prepareServer(form, pageState.server);
  prepareKey(form, pageState);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void show(form, said, entries);
  });

  let current: AbortController | undefined;

  async function show(from: HTMLFormElement, message: HTMLElement, list: HTMLElement): Promise<void> {
    current?.abort();
    current = new AbortController();
    const { signal } = current;
    message.replaceChildren();
    list.replaceChildren();
    const request = requestOf(place, from, message);
    if (request === undefined) return;
    const headers = new Headers(request.init.headers);
    headers.set('Accept', 'application/json');
    // A browser must not answer from its cache: every request changes the transcript.
    const init: RequestInit = {
      ...request.init,
      headers,
      cache: 'no-store',
      credentials: 'omit',
      signal,
    };
    try {
      const response = await fetch(request.url, init);
      const body: unknown = await response.json();
      if (!response.ok) return showRefusal(message, body, place.dataset);
      const recordings = recordingsIn(body);
      const baseUrl = from.querySelector<HTMLSelectElement>('[name=server]')?.value ?? '';
      message.append(create('p', {}, countOf(recordings.length)));
      if (recordings.length > 0) list.append(actions(async () => markdownOf(recordings, await templates, baseUrl)));
      list.append(...recordings.toReversed().map((one) => entry(one, baseUrl, place.dataset['errors'] ?? '')));
    } catch (error) {
      // A later request has its own result.
      if (!signal.aborted) showProblem(message, problemOf(error));
    }
  }

  /** One request, folded. Its samples are written when it is opened, because there may be a hundred. */
  function entry(recording: RecordedRequest, baseUrl: string, errors: string): HTMLElement {
    const { request, response, requestId, receivedAt, milliseconds, code } = recording;
    const kind = response.status < 400 ? 'is-ok' : 'is-error';
    const summary = create(
      'summary',
      {},
      create('span', { class: `transcript-status ${kind}` }, String(response.status)),
      create('code', {}, `${request.method} ${request.url}`),
      ...(code === undefined ? [] : [create('span', { class: 'transcript-code' }, code)]),
      create('span', { class: 'transcript-time' }, `${new Date(receivedAt).toLocaleString()}, ${milliseconds} ms`),
    );
    const details = create('details', { class: 'transcript-entry' }, summary);
    const open = async () => {
      const rule =
        code === undefined
          ? []
          : ['. Refused by the rule ', create('a', { href: `${errors}#${encodeURIComponent(code)}` }, code)];
      details.append(
        create(
          'p',
          {},
          `Received at ${new Date(receivedAt).toISOString()}. Request ID: `,
          create('code', {}, requestId),
          ...rule,
          '.',
        ),
        create('h2', {}, 'Request'),
        codeBlock(messageText(`${request.method} ${request.url}`, request)),
        create('h2', {}, 'Response'),
        codeBlock(messageText(String(response.status), response)),
        create('h2', {}, 'The same call'),
      );
      details.append(await samplesOf(recording, baseUrl));
      startCopyButtons(details);
      startTabs(details);
    };
    details.addEventListener('toggle', () => void open(), { once: true });
    return details;
  }

  async function samplesOf(recording: RecordedRequest, baseUrl: string): Promise<HTMLElement> {
    const known = await templates;
    if (known === undefined) return create('p', {}, 'The code could not be loaded. Reload the page.');
    const request = recordedRequest(known, recording, baseUrl);
    if (request === undefined) return create('p', {}, `There is no code for this request, because ${NO_CODE}.`);
    const panels = samplesFor(request).map(({ label, source }) =>
      create('section', {}, create('h3', {}, label), codeBlock(source)),
    );
    return create('div', { class: 'tabs', 'data-label': 'The same call', 'data-memory': MEMORY }, ...panels);
  }
}

/** The memory of the tabs that has the reader's language. */
const MEMORY = 'language';

const NO_CODE =
  'no operation has its path, it had a body that the operation does not take, or the server did not record all of it';

/** The requests as a document, with the same calls in the language that the reader has selected. */
function markdownOf(recordings: RecordedRequest[], templates: Templates | undefined, baseUrl: string): string {
  const chosen = recall(`docs.${MEMORY}`);
  const language = sampleLanguages.find((name) => languages[name].label === chosen) ?? 'curl';
  const write: CallWriter = (recorded) => {
    if (templates === undefined) return { missing: 'its code could not be loaded' };
    const request = recordedRequest(templates, recorded, baseUrl);
    if (request === undefined) return { missing: NO_CODE };
    return { language: language === 'curl' ? 'sh' : language, code: languages[language].write(request).trimEnd() };
  };
  return transcriptAsMarkdown(recordings, write);
}

/** Undefined if they cannot be loaded. */
async function loadTemplates(url: string): Promise<Templates | undefined> {
  try {
    const response = await fetch(url);
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

/** Says why the API refused to show the requests, and links to what to do. */
function showRefusal(place: HTMLElement, body: unknown, settings: DOMStringMap): void {
  const { message, detail }: Record<string, unknown> = Object(body);
  showProblem(place, String(message ?? detail ?? 'The server refused the request.'));
  showErrorLink(place, body, settings);
}

function countOf(count: number): string {
  if (count === 0)
    return 'The server has recorded no requests of this key. Send one, then select “Show my requests” again.';
  return `${count === 1 ? 'One request' : `${count} requests`}, the newest first.`;
}

/** The buttons for the Markdown. */
function actions(markdown: () => Promise<string>): HTMLElement {
  const copyButton = create('button', { type: 'button' }, 'Copy these requests as Markdown');
  copyButton.addEventListener('click', () => void copy(markdown(), copyButton));
  const saveButton = create('button', { type: 'button' }, 'Download these requests');
  saveButton.addEventListener('click', async () => save(await markdown()));
  return create('p', { class: 'transcript-actions' }, copyButton, saveButton);
}

function save(markdown: string): void {
  const url = URL.createObjectURL(new Blob([markdown], { type: 'text/markdown' }));
  create('a', { href: url, download: 'transcript.md' }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A message as HTTP shows it, with its JSON indented. */
function messageText(firstLine: string, { headers, body }: RecordedMessage): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [firstLine, ...lines, ...(body === undefined ? [] : ['', indented(body)])].join('\n');
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
