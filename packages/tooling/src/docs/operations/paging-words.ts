import type { ContractDocument, PlacedOperation } from '../../contract/document.ts';
import { listFactsOf, type Paging } from '../../contract/pagination.ts';

/** How the pages of a list continue, in sentences; none for an operation that returns no list, and for a JSON array with a `Link` header. */
export function pagingSentences(contract: ContractDocument, placed: PlacedOperation): string[] {
  const paging = listFactsOf(contract, placed)?.paging;
  if (paging === undefined) return [];
  const { items, parameter, size } = paging;
  return [
    items === undefined
      ? 'The body of a page is the list of its items.'
      : `The items of a page are in ${shown(items)}.`,
    ...(size === undefined ? [] : [`\`${size}\` is the number of items on a page.`]),
    nextPage(paging, `\`${parameter}\``),
    lastPage(paging),
    ...(paging.total === undefined ? [] : [`${shown(paging.total)} is the number of all items.`]),
    ...(paging.pages === undefined ? [] : [`${shown(paging.pages)} is the number of all pages.`]),
  ];
}

function nextPage({ kind, next, id, start }: Paging, parameter: string): string {
  if (kind === 'link') {
    return `For the next page, request the URL in ${next === undefined ? 'the `Link` header with `rel="next"`' : shown(next)}.`;
  }
  if (next !== undefined) return `For the next page, send ${shown(next)} of the body as ${parameter}.`;
  if (kind === 'cursor') return `For the next page, send ${shown(id ?? [])} of the last item as ${parameter}.`;
  if (kind === 'offset') return `For the next page, add the number of items on this page to ${parameter}.`;
  return `${parameter} is the number of a page. The first page has the number \`${start}\`.`;
}

function lastPage({ kind, next, more }: Paging): string {
  if (more !== undefined) return `On the last page, ${shown(more)} is \`false\`.`;
  if (next !== undefined) return `The last page has no ${shown(next)}.`;
  if (kind === 'link') return 'The last page has no such link.';
  return 'A page without items comes after the last one.';
}

/** The path of a property: `links.next`. */
function shown(keys: readonly string[]): string {
  return `\`${keys.join('.')}\``;
}
