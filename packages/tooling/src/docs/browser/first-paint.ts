/** Runs before the first paint. Sets the right colours, and shows the elements that need JavaScript. */
import { paint, wantedColours } from './colours.ts';

paint(wantedColours());
document.documentElement.classList.add('has-script');
