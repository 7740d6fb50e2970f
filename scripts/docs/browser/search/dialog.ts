import type { Finding } from './load-index.ts';
import { createResults } from './results.ts';

/** The window with the search box. It is led by the keyboard: arrows choose, Enter goes, Escape closes. */
export function createDialog(find: (words: string) => Promise<Finding[]>) {
  const element = document.createElement('dialog');
  element.className = 'site-search';
  element.setAttribute('aria-label', 'Search the docs');
  const input = searchBox();
  const status = document.createElement('p');
  status.className = 'site-search-status';
  status.setAttribute('role', 'status');
  const results = createResults(input);
  element.append(input, results.element, status);

  async function look(): Promise<void> {
    const words = input.value.trim();
    const findings = words === '' ? [] : await find(words).catch(() => undefined);
    // The reader typed on meanwhile: the answer to that is on its way.
    if (words !== input.value.trim()) return;
    results.fill(findings ?? []);
    status.textContent = inWords(words, findings);
  }

  input.addEventListener('input', () => void look());
  input.addEventListener('keydown', (event) => {
    // A search box would first be emptied by Escape, and only then let the window close.
    if (event.key === 'Escape') element.close();
    else if (!results.take(event.key)) return;
    event.preventDefault();
  });
  // The page may stay the same, and only its fragment change.
  results.element.addEventListener('click', () => element.close());
  element.addEventListener('click', (event) => event.target === element && element.close());

  return {
    element,
    show: () => {
      if (!element.open) element.showModal();
      input.select();
      void look();
    },
  };
}

function searchBox(): HTMLInputElement {
  const input = document.createElement('input');
  input.type = 'search';
  input.placeholder = 'Search guides, operations, fields, codes';
  input.autocomplete = 'off';
  input.spellcheck = false;
  input.setAttribute('role', 'combobox');
  input.setAttribute('aria-label', 'Search guides, operations, fields and codes');
  input.setAttribute('aria-autocomplete', 'list');
  return input;
}

function inWords(words: string, findings: Finding[] | undefined): string {
  if (findings === undefined) return 'The search index could not be loaded. Load the page again.';
  if (words === '') return 'Try “429”, “cursor” or “Idempotency-Key”.';
  if (findings.length === 0) return `Nothing found for “${words}”.`;
  return `${findings.length} ${findings.length === 1 ? 'result' : 'results'}`;
}
