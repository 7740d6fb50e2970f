/** Light or dark colours: the system's setting, until the reader chooses. Redoc stores its choice under the same name. */

export type Colours = 'light' | 'dark';

const storageKey = 'redoc.colorMode';
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

/** The colours that the page should have now. */
export function wantedColours(): Colours {
  return chosenColours() ?? systemColours();
}

/** Sets the classes that the style sheets of the site and of Redoc use. */
export function paint(colours: Colours): void {
  const { classList } = document.documentElement;
  classList.toggle('dark', colours === 'dark');
  classList.toggle('light', colours === 'light');
}

/** Stores a choice. A choice that matches the system is removed, so that the page follows the system again. */
export function choose(colours: Colours): void {
  try {
    if (colours === systemColours()) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, colours);
  } catch {
    // Without storage, the choice is lost with the page.
  }
}

/** Calls a function when the system changes its colours. */
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
