import type { MockedOperation } from './answer.ts';

export type Page = {
  body: unknown;
  /** The address of the next page. */
  next?: string | undefined;
};

/** One page of a list, as its query asks for it. */
export function pageOf(entries: readonly unknown[], url: string, { defaults }: MockedOperation): Page {
  const { searchParams } = new URL(url);
  const limit = Number(searchParams.get('limit') ?? defaults['limit'] ?? entries.length);
  // Ours is the place in the list; for callers it is opaque.
  const start = Number(searchParams.get('cursor') ?? 0);
  const found = entries.filter((entry) => matches(entry, searchParams));
  const body = found.slice(start, start + limit);
  return start + limit < found.length ? { body, next: addressAt(url, start + limit) } : { body };
}

/** Whether an entry matches the other query parameters: `status=sold`, or one of `id=1&id=2`. */
function matches(entry: unknown, query: URLSearchParams): boolean {
  const properties = new Map(Object.entries(Object(entry)));
  return [...new Set(query.keys())]
    .filter((name) => name !== 'limit' && name !== 'cursor')
    .every((name) => query.getAll(name).includes(`${properties.get(name)}`));
}

function addressAt(url: string, cursor: number): string {
  const address = new URL(url);
  address.searchParams.set('cursor', `${cursor}`);
  return address.href;
}
