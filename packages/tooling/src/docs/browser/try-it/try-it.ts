import { type BuiltRequest, buildRequest } from './request.ts';
import { showProblem, showRequest, showResponse } from './result.ts';

/** The state that the page's first module passes on. */
export type PageState = {
  /** The key that the reader has entered on another page; empty if there is none. */
  key: string;
  server: string | undefined;
};

/** Starts the form of an operation. */
export function start(place: HTMLElement, pageState: PageState): void {
  const form = place.querySelector('form');
  const result = place.querySelector<HTMLElement>('.try-result');
  const stop = place.querySelector<HTMLButtonElement>('.try-stop');
  if (form === null || result === null || stop === null) return;
  let current: AbortController | undefined;

  prepareServer(form, pageState.server);
  prepareKey(form, pageState);
  prepareBodies(form);
  newIdempotencyKeys(form);
  stop.addEventListener('click', () => current?.abort());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form, result);
  });

  async function send(from: HTMLFormElement, to: HTMLElement): Promise<void> {
    current?.abort();
    current = new AbortController();
    const { signal } = current;
    // A previous response must never look like the response to this request.
    to.replaceChildren();
    if (stop) stop.hidden = false;
    try {
      const request = requestOf(place, from, to);
      if (request === undefined) return;
      const { url, init, secret } = request;
      showRequest(to, url, init, secret);
      const start = performance.now();
      const response = await fetch(url, { ...init, signal, credentials: 'omit', cache: 'no-store' });
      await showResponse(to, response, { milliseconds: performance.now() - start, settings: place.dataset });
      // The next request gets a new Idempotency-Key.
      if (response.ok) newIdempotencyKeys(from);
    } catch (error) {
      if (current?.signal === signal) showProblem(to, signal.aborted ? 'Stopped.' : problemOf(error));
    } finally {
      if (stop && current?.signal === signal) stop.hidden = true;
    }
  }
}

/**
 * Undefined, with the reason shown, if the browser refuses to send a header, such as a key with a dash from a word
 * processor.
 */
export function requestOf(place: HTMLElement, form: HTMLFormElement, result: HTMLElement): BuiltRequest | undefined {
  try {
    return buildRequest(place, form);
  } catch {
    showProblem(result, 'The API key or a header contains a character that HTTP does not allow. Copy the value again.');
    return undefined;
  }
}

export function problemOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `The server did not respond, or does not allow calls from this page: ${reason}`;
}

/** When the API itself served the page, that is the server. */
export function prepareServer(form: HTMLFormElement, server: string | undefined): void {
  const choice = form.querySelector<HTMLSelectElement>('[name=server]');
  if (choice === null || server === undefined) return;
  choice.replaceChildren(new Option(`This server: ${server}`, server));
}

export function prepareKey(form: HTMLFormElement, { key }: PageState): void {
  const field = form.querySelector<HTMLInputElement>('[name=key]');
  if (field !== null) field.value = key;
}

/** An example is put into its field; of several bodies, that of the chosen media type is shown. */
function prepareBodies(form: HTMLFormElement): void {
  for (const choice of form.querySelectorAll<HTMLSelectElement>('[data-fills]')) {
    choice.addEventListener('change', () => {
      const body = document.getElementById(choice.dataset['fills'] ?? '');
      if (body instanceof HTMLTextAreaElement) body.value = choice.value;
    });
  }
  const media = form.querySelector<HTMLInputElement | HTMLSelectElement>('[name=media]');
  const bodies = [...form.querySelectorAll<HTMLElement>('[name=body]')];
  const showChosen = () => {
    for (const body of bodies) {
      const field = body.closest<HTMLElement>('.try-field');
      if (field !== null) field.hidden = body.dataset['media'] !== media?.value;
    }
  };
  media?.addEventListener('change', showChosen);
  showChosen();
}

function newIdempotencyKeys(form: HTMLFormElement): void {
  for (const field of form.querySelectorAll<HTMLInputElement>('[data-uuid]')) {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    field.value = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  }
}
