/** For how long the place that a link names has to stay where it is, and when the reader has waited enough; in ms. */
const STEADY_FOR = 300;
const LONGEST = 5_000;
/** A frame that took longer was one of work: what it brought is still to be seen. */
const LONGEST_FRAME = 34;

/** Runs before the first paint: a link to an operation must not show the overview, to leave it under the reader's eyes. */
export function hideUntilArrived({ hash }: Location, { classList }: HTMLElement): void {
  if (hash.startsWith('#/') && hash.length > 2) classList.add('is-arriving');
}

/** Shows the reference as soon as Redoc has brought the reader there: it scrolls twice, as the parts above grow. */
export function showOnArrival({ hash }: Location, page: Document): void {
  const { classList } = page.documentElement;
  if (!classList.contains('is-arriving')) return;
  const start = performance.now();
  let last = { at: start, top: Number.NaN, steady: 0 };

  function look(at: number): void {
    const top = topOf(hash, page);
    const steady = top === last.top ? last.steady + Math.min(at - last.at, LONGEST_FRAME) : 0;
    last = { at, top, steady };
    if (steady >= STEADY_FOR || at - start >= LONGEST) classList.remove('is-arriving');
    else requestAnimationFrame(look);
  }

  requestAnimationFrame(look);
}

/** Where the heading of the place is in the window, in pixels from its upper edge; NaN when it is not to be seen. */
function topOf(hash: string, page: Document): number {
  const link = page.querySelector(`.deep-link-anchor a[href=${JSON.stringify(hash)}]`);
  const top = link?.getBoundingClientRect().top ?? -1;
  return top >= 0 && top < innerHeight ? top : Number.NaN;
}
