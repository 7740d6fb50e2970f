/**
 * Turns the panels of each `.tabs` into tabs (WAI-ARIA tabs pattern): arrow keys, Home and End select one. In print, all
 * are shown.
 */
export function startTabs(page: Document): void {
  const groups = [...page.querySelectorAll<HTMLElement>('.tabs')];
  groups.forEach((group, place) => {
    startGroup(group, `tabs-${place}`);
  });
}

function startGroup(group: HTMLElement, prefix: string): void {
  const { label = '', memory = '' } = group.dataset;
  const panels = [...group.querySelectorAll<HTMLElement>(':scope > section')];
  const list = document.createElement('div');
  list.className = 'tabs-list';
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', label);
  const tabs = panels.map((panel, index) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.id = `${prefix}-tab-${index}`;
    tab.textContent = panel.querySelector('h3')?.textContent ?? '';
    tab.setAttribute('role', 'tab');
    panel.id ||= `${prefix}-panel-${index}`;
    tab.setAttribute('aria-controls', panel.id);
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', tab.id);
    tab.addEventListener('click', () => show(index));
    return tab;
  });

  function show(index: number): void {
    tabs.forEach((tab, place) => {
      tab.setAttribute('aria-selected', String(place === index));
      tab.tabIndex = place === index ? 0 : -1;
    });
    panels.forEach((panel, place) => {
      panel.hidden = place !== index;
    });
    if (memory !== '') remember(memory, tabs[index]?.textContent ?? '');
  }

  list.addEventListener('keydown', (event) => {
    const current = tabs.findIndex((tab) => tab.matches(':focus'));
    const next = target(event.key, current, tabs.length);
    if (next === undefined) return;
    event.preventDefault();
    show(next);
    tabs[next]?.focus();
  });
  list.append(...tabs);
  group.prepend(list);
  const chosen = memory === '' ? -1 : tabs.findIndex(({ textContent }) => textContent === recall(memory));
  show(Math.max(chosen, 0));
  group.classList.add('is-ready');
}

function target(key: string, current: number, count: number): number | undefined {
  if (key === 'ArrowRight') return (current + 1) % count;
  if (key === 'ArrowLeft') return (current + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

/** The language of the samples, kept from one page to the next. */
function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`docs.${name}`, value);
  } catch {
    // Without storage, the choice is lost with the page.
  }
}

function recall(name: string): string | undefined {
  try {
    return localStorage.getItem(`docs.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}
