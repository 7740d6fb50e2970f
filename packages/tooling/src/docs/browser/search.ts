import { createSearch, type Finding } from '../search/find.ts';

/** Opens the dialog of the search with its button or with `/`. Enter opens the first result, and Tab leads to the others. */
export function startSearch(page: Document): void {
  const dialog = page.querySelector<HTMLDialogElement>('.site-search');
  const input = dialog?.querySelector('input');
  const list = dialog?.querySelector('ul');
  const status = dialog?.querySelector('p');
  if (!dialog || !input || !list || !status) return;
  const root = new URL('..', import.meta.url);
  /** Loaded when a reader searches for the first time. */
  let search: ReturnType<typeof load> | undefined;

  async function update(): Promise<void> {
    const words = input?.value.trim() ?? '';
    try {
      search ??= load(root);
      const findings = (await search)(words);
      // The reader has typed more in the meantime, which causes its own update.
      if (words !== input?.value.trim()) return;
      list?.replaceChildren(...findings.map((finding) => itemOf(finding, root)));
      if (status) status.textContent = words === '' || findings.length > 0 ? '' : `No results for “${words}”.`;
    } catch {
      search = undefined;
      if (status) status.textContent = 'The search is not available. Reload the page to try again.';
    }
  }

  function open(): void {
    dialog?.showModal();
    input?.select();
    void update();
  }

  page.querySelector('.site-search-open')?.addEventListener('click', open);
  page.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    open();
  });
  input.addEventListener('input', () => void update());
  dialog.addEventListener('submit', (event) => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  // A result may be on this page, which then only scrolls; a click next to the dialog closes it, too.
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog || (target instanceof Element && target.closest('a') !== null)) dialog.close();
  });
}

async function load(root: URL): Promise<(words: string) => Finding[]> {
  const response = await fetch(new URL('assets/search.json', root));
  return createSearch(await response.json());
}

function itemOf({ url, title, group, text }: Finding, root: URL): HTMLElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = new URL(url, root).href;
  for (const [tag, content] of Object.entries({ strong: title, span: group, small: text })) {
    const part = document.createElement(tag);
    part.textContent = content;
    link.append(part);
  }
  item.append(link);
  return item;
}
