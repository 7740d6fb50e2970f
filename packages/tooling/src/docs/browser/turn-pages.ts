/** The only element between the header and the footer of a page. */
const CONTENT = '.site-header + *';

/**
 * While the reader has a key, opens other pages inside this document, because the key is only in memory and would be lost
 * with the document. A browser without the Navigation API loads each page normally.
 *
 * @param start starts the parts of the new content
 */
export function turnPagesInside(root: string, hasKey: () => boolean, start: (content: Element) => void): void {
  if (!('navigation' in window)) return;
  navigation.addEventListener('navigate', (event) => {
    const { url, sameDocument } = event.destination;
    const isOther = event.hashChange || event.downloadRequest !== null || event.navigationType === 'reload';
    // The Back button must show an earlier page of this document again, even without a key.
    if (isOther || !event.canIntercept || !(hasKey() || sameDocument) || !hasSamePolicy(url, root)) return;
    event.intercept({ handler: () => show(url, event.signal, start) });
  });
}

/** The page by Redoc has another one. The page about keys may be that of another host. */
function hasSamePolicy(url: string, root: string): boolean {
  const path = url.startsWith(root) ? url.slice(root.length) : '.';
  return /^((guides|operations)\/)?([\w-]+\.html)?([?#]|$)/.test(path) && !/^(reference|get-key)\.html/.test(path);
}

async function show(url: string, signal: AbortSignal, start: (content: Element) => void): Promise<void> {
  // The page may be in another folder, so the header and the footer, which stay, get absolute links.
  for (const link of document.querySelectorAll('a')) link.href = `${link.href}`;
  const response = await fetch(url, { signal });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const content = page.querySelector(CONTENT);
  if (!response.ok || content === null) return location.reload();
  document.title = page.title;
  const sections = page.querySelectorAll('.site-nav a');
  for (const [place, link] of document.querySelectorAll('.site-nav a').entries()) {
    link.removeAttribute('aria-current');
    if (sections[place]?.hasAttribute('aria-current')) link.setAttribute('aria-current', 'true');
  }
  document.querySelector(CONTENT)?.replaceWith(content);
  start(content);
  document.getElementById('content')?.focus({ preventScroll: true });
}
