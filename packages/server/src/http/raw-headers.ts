/**
 * Every value of a header, in the order sent. Node keeps one of two `Host`, `Content-Type` or `Authorization` headers and
 * drops the other in silence; whoever stands in front of us may have kept the other one.
 *
 * @param name in lower case
 */
export function headerValues(rawHeaders: string[], name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}
