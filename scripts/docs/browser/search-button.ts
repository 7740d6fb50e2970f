type SearchModule = typeof import('./search/search.ts');

/**
 * The search button of the header. The search and its index are loaded when they are first wanted: as soon as the
 * button gets the focus or the pointer, so that they are there by the time the reader types.
 */
export function startSearchButton(button: HTMLButtonElement): void {
  const { module = '', index = '', root = '' } = button.dataset;
  const address = (path: string) => new URL(path, document.baseURI).href;
  let search: ReturnType<SearchModule['createSearch']> | undefined;

  async function load() {
    const { createSearch }: SearchModule = await import(address(module));
    search ??= createSearch(address(index), address(root === '' ? './' : root));
    return search;
  }

  async function open(): Promise<void> {
    const { show } = await load();
    show();
  }

  button.addEventListener('focus', () => void load());
  button.addEventListener('pointerenter', () => void load());
  button.addEventListener('click', () => void open());
  // Captured, as Redoc would open a search of its own, over the reference alone.
  window.addEventListener('keydown', openByKey, { capture: true });

  function openByKey(event: KeyboardEvent): void {
    if (!isShortcut(event)) return;
    stop(event);
    void open();
  }
}

function isShortcut(event: KeyboardEvent): boolean {
  if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) return true;
  return event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}

function stop(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}
