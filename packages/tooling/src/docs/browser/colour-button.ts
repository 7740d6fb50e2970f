import { type Colours, choose, onSystemChange, paint, wantedColours } from './colours.ts';

/** The button of the header that turns the page dark, and light again. */
export function startColourButton(button: HTMLElement): void {
  show(wantedColours());
  onSystemChange(() => show(wantedColours()));
  button.addEventListener('click', () => {
    const other = document.documentElement.classList.contains('dark') ? 'light' : 'dark';
    choose(other);
    show(other);
  });

  function show(colours: Colours): void {
    paint(colours);
    button.setAttribute('aria-pressed', String(colours === 'dark'));
  }
}
