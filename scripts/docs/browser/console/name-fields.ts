/** Fields to which Swagger UI gives no name, or one that a screen reader cannot find. */
const names: Record<string, string> = {
  'textarea.body-param__text': 'Request body',
  'select#servers': 'Server',
  'select.examples-select-element': 'Example',
};

/** Gives each of them a name as soon as it is there: they come and go with the operations that are open. */
export function nameFields(operations: HTMLElement): void {
  const name = () => {
    for (const [selector, label] of Object.entries(names)) {
      for (const field of operations.querySelectorAll(`${selector}:not([aria-label])`)) {
        field.setAttribute('aria-label', label);
      }
    }
  };
  new MutationObserver(name).observe(operations, { childList: true, subtree: true });
  name();
}
