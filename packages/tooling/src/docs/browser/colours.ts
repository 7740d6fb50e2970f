/** Light or dark colours: the system's setting, until the reader chooses. Redoc stores its choice under the same name. */

import { recall, remember } from './stored.ts';

type Colours = 'light' | 'dark';

const storageKey = 'redoc.colorMode';
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

/** The colours that the page should have now. */
export function wantedColours(): Colours {
  const chosen = recall(storageKey);
  return chosen === 'light' || chosen === 'dark' ? chosen : systemColours();
}

/** Sets the classes that the style sheets use. */
export function paint(colours: Colours): void {
  const { classList } = document.documentElement;
  classList.toggle('dark', colours === 'dark');
  classList.toggle('light', colours === 'light');
}

function systemColours(): Colours {
  return systemIsDark.matches ? 'dark' : 'light';
}

/** The button of the header that turns the page dark, and light again. */
export function startColourButton(button: HTMLElement): void {
  show(wantedColours());
  systemIsDark.addEventListener('change', () => show(wantedColours()));
  button.addEventListener('click', () => {
    const other = document.documentElement.classList.contains('dark') ? 'light' : 'dark';
    // Without a stored choice, the page follows the system again.
    remember(storageKey, other === systemColours() ? undefined : other);
    show(other);
  });

  function show(colours: Colours): void {
    paint(colours);
    button.setAttribute('aria-pressed', String(colours === 'dark'));
  }
}
