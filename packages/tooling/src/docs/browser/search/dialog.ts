import type { Findings } from '../../search/find.ts';
import { createResults } from './results.ts';

/** The dialog with the search box. It needs no mouse: arrow keys select, Enter opens, Escape closes. */
export function createDialog(find: (words: string) => Promise<Findings>) {
  const element = document.createElement('dialog');
  element.className = 'site-search';
  element.setAttribute('aria-label', 'Search the docs');
  const input = searchBox();
  const status = document.createElement('p');
  status.className = 'site-search-status';
  status.setAttribute('role', 'status');
  const results = createResults(input);
  element.append(input, results.element, status);

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

function searchBox(): HTMLInputElement {
  const input = document.createElement('input');
  input.type = 'search';
  input.placeholder = 'Search the docs';
  input.autocomplete = 'off';
  input.spellcheck = false;
  input.setAttribute('role', 'combobox');
  input.setAttribute('aria-label', 'Search the docs');
  input.setAttribute('aria-autocomplete', 'list');
  return input;
}
