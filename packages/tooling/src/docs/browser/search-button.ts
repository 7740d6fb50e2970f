import { createDialog } from './search/dialog.ts';

type SearchModule = typeof import('./search/load-index.ts');
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
  // In the capture phase, because Redoc would open its own search, which covers only the reference.
  window.addEventListener('keydown', openByKey, { capture: true });

  function openByKey(event: KeyboardEvent): void {
    if (!isShortcut(event)) return;
    stop(event);
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

function stop(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}
