import { type OperationId, operations } from '@animal-store/contract';

const defaultsOf: Readonly<Record<OperationId, { readonly defaults: { readonly limit?: number } }>> = operations;

export type Page = {
  body: unknown;
  /** The address of the next page. */
  next?: string | undefined;
};

/** One page of a list, as its query asks for it. */
export function pageOf(entries: readonly unknown[], url: string, id: OperationId): Page {
  const { searchParams } = new URL(url);
  const { limit: limitText, cursor, ...wanted } = Object.fromEntries(searchParams);
  const limit = Number(limitText ?? defaultsOf[id].defaults.limit ?? entries.length);
  // Ours is the place in the list; for callers it is opaque.
  const start = Number(cursor ?? 0);
  const found = entries.filter((entry) => matches(entry, wanted));
  const body = found.slice(start, start + limit);
  return start + limit < found.length ? { body, next: addressAt(url, start + limit) } : { body };
}

/** Whether an entry has what the other parameters of the query say: `status=sold`. */
function matches(entry: unknown, wanted: Record<string, string>): boolean {
  const properties = new Map(Object.entries(Object(entry)));
  return Object.entries(wanted).every(([name, value]) => properties.get(name) === value);
}

function addressAt(url: string, cursor: number): string {
  const address = new URL(url);
  address.searchParams.set('cursor', `${cursor}`);
  return address.href;
}
