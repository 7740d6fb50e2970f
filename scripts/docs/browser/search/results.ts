import type { Finding } from './load-index.ts';

/** The list under the search box, one of its entries chosen. The focus stays in the box (ARIA combobox). */
export function createResults(input: HTMLInputElement) {
  const element = document.createElement('div');
  element.id = 'site-search-results';
  element.className = 'site-search-results';
  element.setAttribute('role', 'listbox');
  element.setAttribute('aria-label', 'Results');
  input.setAttribute('aria-controls', element.id);
  input.setAttribute('aria-expanded', 'false');
  let chosen = 0;

  function options(): Element[] {
    return [...element.children];
  }

  function choose(place: number): void {
    const all = options();
    chosen = all.length === 0 ? 0 : (place + all.length) % all.length;
    for (const [index, option] of all.entries()) option.setAttribute('aria-selected', String(index === chosen));
    const option = all[chosen];
    input.setAttribute('aria-activedescendant', option?.id ?? '');
    option?.scrollIntoView({ block: 'nearest' });
  }

  return {
    element,
    fill(findings: readonly Finding[]): void {
      element.replaceChildren(...findings.map(optionOf));
      input.setAttribute('aria-expanded', String(findings.length > 0));
      choose(0);
    },
    /** Does what a key asks for; false when it asks for nothing here. */
    take(key: string): boolean {
      const option = options()[chosen];
      if (key === 'ArrowDown') choose(chosen + 1);
      else if (key === 'ArrowUp') choose(chosen - 1);
      else if (key === 'Enter' && option instanceof HTMLElement) option.click();
      else return false;
      return true;
    },
  };
}

function optionOf({ address, title, group, excerpt }: Finding, place: number): HTMLElement {
  const option = document.createElement('a');
  option.id = `site-search-result-${place}`;
  option.href = address;
  option.tabIndex = -1;
  option.setAttribute('role', 'option');
  option.append(part('strong', title), part('span', group), part('small', excerpt));
  return option;
}

function part(name: string, text: string): HTMLElement {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}
