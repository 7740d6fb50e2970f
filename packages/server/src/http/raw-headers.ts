/**
 * Every value of a header, in the order sent. Node keeps one of two `Host`, `Content-Type` or `Authorization` headers and
 * drops the other in silence; whoever stands in front of us may have kept the other one.
 *
 * @param name in lower case
 */
export function headerValues(rawHeaders: string[], name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index];
    // Most are told apart by their length.
    if (given?.length === name.length && given.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}
