import { createDialog } from './dialog.ts';
import { loadIndex } from './load-index.ts';

/** The search of the site. `index` is the index's address, `root` that of the site's root; both absolute. */
export function createSearch(index: string, root: string): { show: () => void } {
  const found = loadIndex(index, root);
  const dialog = createDialog(async (words) => (await found)(words));
  document.body.append(dialog.element);
  return { show: dialog.show };
}
