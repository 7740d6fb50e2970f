import { fill, loadServed, type Served, showLinks } from './served.ts';
import { startCopyButtons, startTabs } from './tabs.ts';
import { turnPagesInside } from './turn-pages.ts';

/** The script of the form of an operation. */
type FormModule = Pick<typeof import('./try-it/try-it.ts'), 'start'>;

/** The reader's key, which is only in this variable, in the field of the form and in the samples. */
let key = '';

/** Starts the parts that only some pages have: tabs, try-it, and data from the server. */
export function startPageParts(page: Document): void {
  const footer = page.querySelector<HTMLElement>('.site-footer-links');
  const root = new URL(footer?.dataset['root'] || './', page.baseURI).href;
  const served = loadServed(`${root}site.json`);
  void served.then((found) => {
    if (found !== undefined && footer !== null) showLinks(footer, found);
  });
  // The browser may keep the whole page for the Back button.
  addEventListener('pagehide', () => {
    key = '';
    fill(page, 'key', key);
    for (const field of page.querySelectorAll<HTMLInputElement>('.try [name=key]')) field.value = key;
  });

  const start = () => {
    showCurrentEntry(page);
    startCopyButtons(page);
    startTabs(page);
    if (key !== '') fill(page, 'key', key);
    void served.then((found) => found?.server !== undefined && fill(page, 'base-url', found.server));
    const place = page.querySelector<HTMLDetailsElement>('.try');
    if (place !== null) startWhenOpened(place, served);
  };
  start();
  turnPagesInside(root, () => key !== '', start);
}

/** Scrolls the menu, not the page, so that the entry of this page is visible. */
function showCurrentEntry(page: Document): void {
  const menu = page.querySelector<HTMLElement>('.guide-menu');
  const entry = menu?.querySelector('[aria-current]');
  if (!menu || !entry) return;
  const [shown, frame] = [entry.getBoundingClientRect(), menu.getBoundingClientRect()];
  if (shown.top < frame.top || shown.bottom > frame.bottom) {
    menu.scrollTop += shown.top - frame.top - frame.height / 2;
  }
}

/** Loads the script of the form when the reader opens it, and keeps the samples up to date with the key. */
function startWhenOpened(place: HTMLDetailsElement, served: Promise<Served | undefined>): void {
  let isStarted = false;
  const open = async () => {
    if (isStarted) return;
    isStarted = true;
    const { start }: FormModule = await import(new URL(place.dataset['module'] ?? '', document.baseURI).href);
    const found = await served;
    start(place, { key, server: found?.server });
    place.classList.add('is-started');
  };
  place.addEventListener('toggle', () => void open());
  if (place.open) void open();
  place.addEventListener('input', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.name !== 'key') return;
    key = target.value;
    fill(document, 'key', key);
  });
}
