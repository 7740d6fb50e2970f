/** Marks the current section in the table of contents: the last one whose heading has reached the top. */
export function startTableOfContents(page: Document): void {
  const links = new Map<Element, HTMLAnchorElement>();
  for (const link of page.querySelectorAll<HTMLAnchorElement>('.toc a')) {
    const heading = page.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (heading !== null) links.set(heading, link);
  }
  if (links.size === 0) return;

  const mark = () => {
    const passed = [...links.keys()].filter((heading) => heading.getBoundingClientRect().top < 120);
    const current = passed.at(-1);
    for (const [heading, link] of links) {
      if (heading === current) link.setAttribute('aria-current', 'location');
      else link.removeAttribute('aria-current');
    }
  };
  // Once per frame is enough, because scroll events are far more frequent.
  let asked = false;
  addEventListener(
    'scroll',
    () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        mark();
      });
    },
    { passive: true },
  );
  mark();
}
