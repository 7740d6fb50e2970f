/** What a table by status has for a status: the row of the status itself or, for an error, that of its range or `default`. */
export function rowOf<Row>(table: Readonly<Record<string, Row>> = {}, status: number): Row | undefined {
  const names = [status, ...(status < 400 ? [] : [`${Math.floor(status / 100)}XX`, 'default'])];
  return names.map((name) => table[name]).find((row) => row !== undefined);
}
