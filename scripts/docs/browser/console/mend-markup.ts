/** Attributes that Swagger UI leaves out, by the elements that lack them. */
const missing: [selector: string, attribute: string, value: string][] = [
  ['textarea.body-param__text', 'aria-label', 'Request body'],
  ['input[type=file]', 'aria-label', 'Request body'],
  ['select#servers', 'aria-label', 'Server'],
  ['select.examples-select-element', 'aria-label', 'Example'],
  // What scrolls has to be reachable without a pointer.
  ['pre', 'tabindex', '0'],
];

/** Adds them as soon as the elements are there: they come and go with the operations that are open. */
export function mendMarkup(operations: HTMLElement): void {
  const mend = () => {
    for (const [selector, attribute, value] of missing) {
      for (const element of operations.querySelectorAll(`${selector}:not([${attribute}])`)) {
        element.setAttribute(attribute, value);
      }
    }
  };
  new MutationObserver(mend).observe(operations, { childList: true, subtree: true });
  mend();
}
