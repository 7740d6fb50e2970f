/** Runs before the first paint: the right colours at once, and what works with JavaScript only is shown. */
import { paint, wantedColours } from './colours.ts';

paint(wantedColours());
document.documentElement.classList.add('has-script');
