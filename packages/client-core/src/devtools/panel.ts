import type { DevtoolsCall, DevtoolsState } from './calls.ts';
import type { DevtoolsClient } from './index.ts';

/** More rows would make the page slow. */
const MOST_ROWS = 100;

const columns = ['Call', 'State', 'Reason', 'Until'];

const style = `
  :host { all: initial; display: block; color-scheme: light dark; background: Canvas; font: 13px/1.5 system-ui, sans-serif }
  section { padding: 8px 12px; overflow: auto }
  h2 { font-size: 1em; margin: 0 }
  p { margin: 4px 0 }
  button { font: inherit; padding: 2px 10px }
  table { border-collapse: collapse; width: 100%; margin-top: 8px }
  th, td { text-align: start; padding: 2px 12px 2px 0; border-bottom: 1px solid GrayText; font-variant-numeric: tabular-nums }
  th { font-weight: 600 }
`;

/**
 * The element of the devtools. Its styles are apart from those of the page, and a Content-Security-Policy may forbid inline styles.
 *
 * @param subscribe calls a listener after each event, until the returned function is called
 */
export function createPanel(
  client: DevtoolsClient,
  state: () => DevtoolsState,
  subscribe: (listener: () => void) => () => void,
): HTMLElement {
  const host = element('div');
  const status = element('p');
  const quota = element('p');
  const resume = element('button', 'Resume all');
  const rows = element('tbody');
  // Announced when it changes, so it does not count down.
  status.setAttribute('role', 'status');
  resume.type = 'button';
  resume.addEventListener('click', () => {
    client.resume();
    show();
  });

  function show(): void {
    const { shut, running, ended } = state();
    setText(status, shut ? `No requests until ${timeOf(shut.until)}: ${shut.code}` : 'Requests are sent.');
    const { rateLimit } = client;
    const { remaining, limit, reset } = rateLimit ?? {};
    setText(quota, rateLimit ? `${remaining} of ${limit} requests left until ${timeOf(Number(reset))}` : '');
    const waiting = running.filter((call) => call.state === 'waits').length;
    heading.textContent = `API calls: ${waiting} waiting, ${running.length - waiting} in flight`;
    rows.replaceChildren(...[...running, ...ended].slice(0, MOST_ROWS).map(rowOf));
  }

  const heading = element('h2');
  const head = element('thead', row('th', columns));
  for (const cell of head.querySelectorAll('th')) cell.scope = 'col';
  const section = element('section', heading, status, quota, resume, element('table', head, rows));
  section.setAttribute('aria-label', 'API calls');
  const root = host.attachShadow({ mode: 'open' });
  addStyle(root);
  root.append(section);
  show();
  follow(host, show, subscribe);
  return host;
}

/** Pages that tests imitate, such as those of jsdom 26, have no constructable style sheets. */
function addStyle(root: ShadowRoot): void {
  if (typeof CSSStyleSheet === 'undefined' || !('replaceSync' in CSSStyleSheet.prototype)) {
    root.append(element('style', style));
    return;
  }
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  root.adoptedStyleSheets = [sheet];
}

/** While the panel is on the page, shows it again after events, once per frame, and each second. */
function follow(host: HTMLElement, show: () => void, subscribe: (listener: () => void) => () => void): void {
  let stop: (() => void) | undefined;
  const start = () => {
    let frame: number | undefined;
    const refresh = () => {
      frame = undefined;
      toggle();
      if (host.isConnected) show();
    };
    const unsubscribe = subscribe(() => {
      if (typeof requestAnimationFrame === 'undefined') refresh();
      else frame ??= requestAnimationFrame(refresh);
    });
    const timer = setInterval(refresh, 1_000);
    show();
    return () => {
      unsubscribe();
      clearInterval(timer);
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  };
  const toggle = () => {
    if (host.isConnected) stop ??= start();
    else {
      stop?.();
      stop = undefined;
    }
  };
  // Its size changes when it is added or removed.
  if (typeof ResizeObserver !== 'undefined') new ResizeObserver(toggle).observe(host);
  toggles.set(host, toggle);
  toggleAtEvents(host, subscribe);
}

/** Starts or stops each panel that is in memory. */
const toggles = new WeakMap<HTMLElement, () => void>();

/** Pages that tests imitate have no sizes, so each event finds out whether a panel was added or removed. Keeps no panel in memory. */
function toggleAtEvents(host: HTMLElement, subscribe: (listener: () => void) => () => void): void {
  const panel = new WeakRef(host);
  const unsubscribe = subscribe(() => {
    const found = panel.deref();
    if (found === undefined) unsubscribe();
    else toggles.get(found)?.();
  });
}

function rowOf(call: DevtoolsCall): HTMLTableRowElement {
  const { number, operation, attempts } = call;
  const name = `${number} ${operation}`;
  if (call.state === 'ended') return row('td', [name, `ended, ${attempts} sent`, call.result, '']);
  if (call.state === 'sent') return row('td', [name, `attempt ${attempts} in flight`, '', '']);
  const seconds = Math.max(0, Math.ceil(((call.until ?? 0) - Date.now()) / 1_000));
  const until = call.until === undefined ? 'a response' : `${timeOf(call.until)} (${seconds} s)`;
  return row('td', [name, 'waits', call.reason, until]);
}

function row(kind: 'th' | 'td', texts: readonly string[]): HTMLTableRowElement {
  return element('tr', ...texts.map((text) => element(kind, text)));
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  ...content: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}

/** Screen readers announce a text that is replaced, even by an equal one. */
function setText(place: HTMLElement, text: string): void {
  if (place.textContent !== text) place.textContent = text;
}

function timeOf(time: number): string {
  return new Date(time).toLocaleTimeString();
}
