/** The script of the console: every operation of the contract, sent with the reader's own key. */
import { forConsole, ownServer } from './contract.ts';
import { followColours } from './follow-colours.ts';
import { startKeyField } from './key-field.ts';
import { mendMarkup } from './mend-markup.ts';
import { showOperations } from './swagger-ui.ts';

const operations = document.getElementById('console-operations');
const keyField = document.querySelector<HTMLInputElement>('#api-key');

followColours();
if (operations !== null && keyField !== null) void start(operations, keyField);

async function start(place: HTMLElement, field: HTMLInputElement): Promise<void> {
  try {
    const address = new URL(place.dataset['contract'] ?? '', document.baseURI).href;
    const reply = await fetch(address);
    if (!reply.ok) throw new Error(`The contract could not be loaded from ${address}: status ${reply.status}.`);
    const contract = forConsole(await reply.json(), ownServer(reply.headers.get('link'), address));
    mendMarkup(place);
    startKeyField(field, await showOperations(contract, place));
    // The page has its main element already.
    place.querySelector('main')?.setAttribute('role', 'group');
  } catch (error) {
    place.textContent = `The console could not start. ${error instanceof Error ? error.message : ''} Load the page again.`;
    place.setAttribute('role', 'alert');
  }
}
