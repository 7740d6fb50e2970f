import type { Finding, Findings } from '../../search/find.ts';

/** The list below the search box, with one entry selected. The focus stays in the box (ARIA combobox). */
export function createResults(input: HTMLInputElement) {
  const element = document.createElement('div');
  element.id = 'site-search-results';
  element.className = 'site-search-results';
  element.setAttribute('role', 'listbox');
  element.setAttribute('aria-label', 'Results');
  input.setAttribute('aria-controls', element.id);
  input.setAttribute('aria-expanded', 'false');
  let selected = 0;

  function options(): HTMLElement[] {
    return [...element.querySelectorAll('a')];
  }

  function select(place: number): void {
    const all = options();
    selected = all.length === 0 ? 0 : (place + all.length) % all.length;
    for (const [index, option] of all.entries()) {
      option.id = `site-search-result-${index}`;
      option.setAttribute('aria-selected', String(index === selected));
    }
    const option = all[selected];
    input.setAttribute('aria-activedescendant', option?.id ?? '');
    // The name of the group is above its first entry.
    if (selected === 0) element.scrollTop = 0;
    else option?.scrollIntoView({ block: 'nearest' });
  }

  return {
    element,
    fill(groups: Findings['groups']): void {
      element.replaceChildren(...groups.map(groupOf));
      input.setAttribute('aria-expanded', String(groups.length > 0));
      select(0);
    },
    /** Handles a key; false if the list does not use it. */
    take(key: string): boolean {
      if (key === 'ArrowDown') select(selected + 1);
      else if (key === 'ArrowUp') select(selected - 1);
      else if (key === 'Enter') options()[selected]?.click();
      else return false;
      return true;
    },
  };
}

function groupOf({ name, findings }: Findings['groups'][number]): HTMLElement {
  const element = document.createElement('div');
  element.setAttribute('role', 'group');
  element.setAttribute('aria-label', name);
  const heading = part('p', name);
  heading.setAttribute('aria-hidden', 'true');
  element.append(heading, ...findings.map(optionOf));
  return element;
}

function optionOf({ address, title, group, excerpt }: Finding): HTMLElement {
  const option = document.createElement('a');
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
