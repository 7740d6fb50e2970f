/** The script of every page: colours, search, and the parts of the page. */
import { startColourButton } from './colours.ts';
import { startPageParts } from './page-parts.ts';
import { startSearchButton } from './search-button.ts';

const colourButton = document.querySelector<HTMLElement>('.site-colours');
const searchButton = document.querySelector<HTMLButtonElement>('.site-search-open');

if (colourButton !== null) startColourButton(colourButton);
if (searchButton !== null) startSearchButton(searchButton);
startPageParts(document);
