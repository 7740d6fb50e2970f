import type { Finding, Findings } from '../search/find.ts';
import { create } from './create.ts';

type SearchModule = typeof import('./load-index.ts');
type Search = ReturnType<SearchModule['loadIndex']>;

/**
 * The search button of the header. The window opens at once, so that no letter typed after the shortcut is lost. The
 * search code is loaded when it is first needed: as soon as the button gets the focus or the pointer.
 */
export function startSearchButton(button: HTMLButtonElement): void {
  // Resolved immediately, because the header stays when the reader opens pages in other folders.
  const { dataset } = button;
  const absolute = (path = '') => new URL(path === '' ? './' : path, document.baseURI).href;
  const module = absolute(dataset['module']);
  const index = absolute(dataset['index']);
  const root = absolute(dataset['root']);
  let search: Search | undefined;

  async function load(): Search {
    const { loadIndex }: SearchModule = await import(module);
    return loadIndex(index, root);
  }

  function loadOnce(): Search {
    search ??= load();
    // If loading fails, the next letter tries again and reports a failure.
    search.catch(() => {
      search = undefined;
    });
    return search;
  }

  const dialog = createDialog(async (words) => (await loadOnce())(words));
  document.body.append(dialog.element);

  button.addEventListener('focus', () => void loadOnce());
  button.addEventListener('pointerenter', () => void loadOnce());
  button.addEventListener('click', dialog.show);
  window.addEventListener('keydown', openByKey);

  function openByKey(event: KeyboardEvent): void {
    if (!isShortcut(event)) return;
    event.preventDefault();
    void loadOnce();
    dialog.show();
  }
}

function isShortcut(event: KeyboardEvent): boolean {
  if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) return true;
  return event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}

/** The dialog with the search box. It needs no mouse: arrow keys select, Enter opens, Escape closes. */
function createDialog(find: (words: string) => Promise<Findings>) {
  const input = create('input', {
    type: 'search',
    placeholder: 'Search the docs',
    autocomplete: 'off',
    spellcheck: 'false',
    role: 'combobox',
    'aria-label': 'Search the docs',
    'aria-autocomplete': 'list',
    'aria-controls': 'site-search-results',
    'aria-expanded': 'false',
  });
  const status = create('p', { class: 'site-search-status', role: 'status' });
  const results = createResults(input);
  const labels = { class: 'site-search', 'aria-label': 'Search the docs' };
  const element = create('dialog', labels, input, results.element, status);

  async function update(): Promise<void> {
    const words = input.value.trim();
    const { groups, note } = await find(words).catch(() => failed);
    // The reader has typed more in the meantime, which causes its own update.
    if (words !== input.value.trim()) return;
    results.fill(groups);
    status.textContent = note;
  }

  input.addEventListener('input', () => void update());
  input.addEventListener('keydown', (event) => {
    // By default, Escape would empty the search box, and close the dialog only the second time.
    if (event.key === 'Escape') element.close();
    else if (!results.take(event.key)) return;
    event.preventDefault();
  });
  // The result may be on this page, which then only scrolls.
  results.element.addEventListener('click', () => element.close());
  element.addEventListener('click', (event) => event.target === element && element.close());

  return {
    element,
    show: () => {
      if (!element.open) element.showModal();
      input.select();
      void update();
    },
  };
}

const failed: Findings = { groups: [], note: 'The search is not available. Reload the page to try again.' };

/** The list below the search box, with one entry selected. The focus stays in the box (ARIA combobox). */
function createResults(input: HTMLInputElement) {
  const id = 'site-search-results';
  const element = create('div', { id, class: id, role: 'listbox', 'aria-label': 'Results' });
  let selected = 0;

  function options(): HTMLElement[] {
    return [...element.querySelectorAll('a')];
  }

  function select(place: number): void {
    const all = options();
    selected = all.length === 0 ? 0 : (place + all.length) % all.length;
    for (const [index, option] of all.entries()) {
      option.id = `site-search-result-${index}`;
      option.setAttribute('aria-selected', String(index === selected));
    }
    const option = all[selected];
    input.setAttribute('aria-activedescendant', option?.id ?? '');
    // The name of the group is above its first entry.
    if (selected === 0) element.scrollTop = 0;
    else option?.scrollIntoView({ block: 'nearest' });
  }

  return {
    element,
    fill(groups: Findings['groups']): void {
      element.replaceChildren(...groups.map(groupOf));
      input.setAttribute('aria-expanded', String(groups.length > 0));
      select(0);
    },
    /** Handles a key; false if the list does not use it. */
    take(key: string): boolean {
      if (key === 'ArrowDown') select(selected + 1);
      else if (key === 'ArrowUp') select(selected - 1);
      else if (key === 'Enter') options()[selected]?.click();
      else return false;
      return true;
    },
  };
}

function groupOf({ name, findings }: Findings['groups'][number]): HTMLElement {
  const heading = create('p', { 'aria-hidden': 'true' }, name);
  return create('div', { role: 'group', 'aria-label': name }, heading, ...findings.map(optionOf));
}

function optionOf({ address, title, group, excerpt }: Finding): HTMLElement {
  const parts = [create('strong', {}, title), create('span', {}, group), create('small', {}, excerpt)];
  return create('a', { href: address, tabindex: '-1', role: 'option' }, ...parts);
}
