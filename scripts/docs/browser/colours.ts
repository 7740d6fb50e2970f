/** Light or dark: as the system says, until the reader chooses otherwise. Redoc keeps its choice under the same name. */

export type Colours = 'light' | 'dark';

const storageKey = 'redoc.colorMode';
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

/** The colours that the page should have now. */
export function wantedColours(): Colours {
  return chosenColours() ?? systemColours();
}

/** Paints the page; the style sheets of the site and of Redoc both go by these classes. */
export function paint(colours: Colours): void {
  const { classList } = document.documentElement;
  classList.toggle('dark', colours === 'dark');
  classList.toggle('light', colours === 'light');
}

/** Keeps a choice. One that is what the system says anyway is none, so that the page follows the system again. */
export function choose(colours: Colours): void {
  try {
    if (colours === systemColours()) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, colours);
  } catch {
    // A browser that keeps nothing forgets the choice with the page.
  }
}

/** Calls back when the system changes its colours. */
export function onSystemChange(change: () => void): void {
  systemIsDark.addEventListener('change', change);
}

function systemColours(): Colours {
  return systemIsDark.matches ? 'dark' : 'light';
}

function chosenColours(): Colours | undefined {
  try {
    const kept = localStorage.getItem(storageKey);
    return kept === 'light' || kept === 'dark' ? kept : undefined;
  } catch {
    return undefined;
  }
}
