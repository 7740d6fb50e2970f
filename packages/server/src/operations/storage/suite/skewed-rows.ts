import { enumerations, type OperationId, type OperationTypes, type operations } from '@animal-store/contract';
import { cursorAfter } from '../../paging.ts';

/**
 * The number of rows in each table. The first 80 % differ from the others in every column that a filter reads, as time makes them. With
 * half as many, PostgreSQL sometimes expects that reading all rows of a status costs no more than reading a hundred by ID.
 */
const ROWS = 200_000;
const OLD = ROWS * 0.8;

/**
 * For each listing: SQL that fills its table on both engines, and the values of its filters to combine. If a listing or a filter of the
 * contract is missing here, this does not compile.
 */
export const skewedRows: { [Id in ListingId]: SkewedRows<Id> } = {
  listPets: {
    fill: () =>
      `${numbers} INSERT INTO pets (id, name, category_id, status)
        SELECT i, 'Rex', CASE WHEN i <= ${OLD} THEN i % 5 ELSE 5 + i % 20 END,
          CASE WHEN i <= ${OLD} THEN 'sold' WHEN i % 3 = 0 THEN 'pending' WHEN i % 3 = 1 THEN 'available' END FROM numbers`,
    values: {
      status: enumerations.PetStatus,
      id: [[ROWS], spread(100), spread(100).map((id) => id + ROWS)],
      categoryId: [1, 7, 999],
      limit: [1, 100],
      cursor: [cursorAfter('listPets', 10), cursorAfter('listPets', OLD + 10)],
    },
  },
  listOrders: {
    fill: (keyId) =>
      `${numbers} INSERT INTO orders (id, key_id, pet_id, status, created_at)
        SELECT i, CASE WHEN i <= ${OLD} THEN 'another key' ELSE '${keyId}' END, i,
          CASE WHEN i <= ${OLD} + 10000 THEN 'completed' ELSE 'placed' END, 1790000000000 FROM numbers`,
    values: {
      status: enumerations.OrderStatus,
      limit: [1, 100],
      cursor: [cursorAfter('listOrders', 10), cursorAfter('listOrders', OLD + 10)],
    },
  },
};

const numbers = `WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${ROWS})`;

/** IDs from the whole table. */
function spread(count: number): number[] {
  return Array.from({ length: count }, (_, index) => 1 + (index * ROWS) / count);
}

type SkewedRows<Id extends ListingId> = {
  fill: (keyId: string) => string;
  values: { readonly [Name in keyof QueryOf<Id>]-?: readonly NonNullable<QueryOf<Id>[Name]>[] };
};

/** The reading operations with query parameters. */
type ListingId = {
  [Id in OperationId]: (typeof operations)[Id]['method'] extends 'GET'
    ? [QueryOf<Id>] extends [never]
      ? never
      : Id
    : never;
}[OperationId];
type QueryOf<Id extends OperationId> = NonNullable<OperationTypes[Id]['parameters']['query']>;

/** Every combination of the values of a listing's parameters, each of them also absent, as query strings. */
export function queriesOf(values: Readonly<Record<string, readonly unknown[]>>): string[] {
  let queries: [string, string][][] = [[]];
  for (const [name, choices] of Object.entries(values)) {
    const given = choices.map((value) => [value].flat().map((each): [string, string] => [name, String(each)]));
    queries = queries.flatMap((query) => [query, ...given.map((pairs) => [...query, ...pairs])]);
  }
  return queries.map((query) => new URLSearchParams(query).toString());
}
