/**
 * The address that a reply's `Link` header (RFC 8288) gives for a relation.
 *
 * @param relation in lower case: `next`, `successor-version`, ...
 */
export function linkOf({ headers }: { headers: Headers }, relation: string): string | undefined {
  // <address>, then parameters up to the next comma outside quotes.
  for (const [, address, parameters = ''] of (headers.get('Link') ?? '').matchAll(/<([^>]*)>((?:[^",]|"[^"]*")*)/g)) {
    const [, quoted, bare] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(parameters) ?? [];
    // One link may have several relations.
    const relations = (quoted ?? bare ?? '').toLowerCase().split(/\s+/);
    if (relations.includes(relation)) return address;
  }
  return undefined;
}
