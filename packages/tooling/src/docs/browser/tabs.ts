import { create } from './create.ts';
import { recall, remember } from './stored.ts';

/** How each group of tabs shows the panel with a title. */
const shows = new WeakMap<Element, (title: string | undefined) => void>();
let count = 0;

/**
 * Turns the panels of each `.tabs` into tabs (WAI-ARIA tabs pattern): arrow keys, Home and End select one. Groups with the same
 * memory, on this and other pages, show the same one.
 */
export function startTabs(page: ParentNode): void {
  for (const group of page.querySelectorAll<HTMLElement>('.tabs')) {
    count += 1;
    const show = startGroup(group, `tabs-${count}`, choose);
    shows.set(group, show);
    const { memory = '' } = group.dataset;
    show(memory === '' ? undefined : recall(`docs.${memory}`));
  }
}

function choose(group: HTMLElement, title: string): void {
  const { memory = '' } = group.dataset;
  if (memory === '') return;
  remember(`docs.${memory}`, title);
  const before = group.getBoundingClientRect().top;
  for (const other of document.querySelectorAll(`.tabs[data-memory="${memory}"]`)) shows.get(other)?.(title);
  // The groups above may have changed their heights.
  scrollBy({ top: group.getBoundingClientRect().top - before, behavior: 'instant' });
}

/** Returns a function that shows the panel with a title. Without it, the group keeps its panel; at first, that is the first one. */
function startGroup(
  group: HTMLElement,
  prefix: string,
  choose: (group: HTMLElement, title: string) => void,
): (title: string | undefined) => void {
  const { label = '' } = group.dataset;
  const panels = [...group.querySelectorAll<HTMLElement>(':scope > section')];
  const tabs = panels.map((panel, index) => {
    const id = `${prefix}-tab-${index}`;
    panel.id ||= `${prefix}-panel-${index}`;
    const title = panel.querySelector('h3')?.textContent ?? '';
    const tab = create('button', { type: 'button', id, role: 'tab', 'aria-controls': panel.id }, title);
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', id);
    tab.addEventListener('click', () => select(index));
    return tab;
  });

  const list = create('div', { class: 'tabs-list', role: 'tablist', 'aria-label': label }, ...tabs);

  function show(index: number): void {
    tabs.forEach((tab, place) => {
      tab.setAttribute('aria-selected', String(place === index));
      tab.tabIndex = place === index ? 0 : -1;
    });
    panels.forEach((panel, place) => {
      panel.hidden = place !== index;
    });
  }

  function select(index: number): void {
    show(index);
    choose(group, tabs[index]?.textContent ?? '');
  }

  list.addEventListener('keydown', (event) => {
    const current = tabs.findIndex((tab) => tab.matches(':focus'));
    const next = target(event.key, current, tabs.length);
    if (next === undefined) return;
    event.preventDefault();
    select(next);
    tabs[next]?.focus();
  });
  group.prepend(list);
  show(0);
  group.classList.add('is-ready');
  return (title) => {
    const index = tabs.findIndex(({ textContent }) => textContent === title);
    if (index !== -1) show(index);
  };
}

function target(key: string, current: number, count: number): number | undefined {
  if (key === 'ArrowRight') return (current + 1) % count;
  if (key === 'ArrowLeft') return (current + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

/** How long a button shows that it has copied, in milliseconds. */
const SAID_FOR = 2_000;

/** Every code block of the guides gets a button that copies it. */
export function startCopyButtons(page: ParentNode): void {
  for (const block of page.querySelectorAll<HTMLElement>('.code')) {
    const button = create('button', { type: 'button', class: 'code-copy' }, 'Copy');
    button.addEventListener('click', () => void copy(block.querySelector('code')?.textContent ?? '', button));
    block.append(button);
  }
}

/** Copies a text, and says on the button whether that worked. */
async function copy(text: string, button: HTMLElement): Promise<void> {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    // Without HTTPS, a browser may refuse. The reader can still select the text.
    button.textContent = 'Not copied. Select the text instead.';
  }
  setTimeout(() => {
    button.textContent = label;
  }, SAID_FOR);
}
