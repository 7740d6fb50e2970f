/** Runs before the first paint: the right colours and place at once, and what works with JavaScript only is shown. */
import { hideUntilArrived } from './arrival.ts';
import { paint, wantedColours } from './colours.ts';

paint(wantedColours());
hideUntilArrived(location, document.documentElement);
document.documentElement.classList.add('has-script');
