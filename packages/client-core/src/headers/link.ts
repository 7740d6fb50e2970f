/**
 * The URL for a relation in the `Link` header (RFC 8288) of a response.
 *
 * @param relation in lower case: `next`, `successor-version`, ...
 */
export function linkOf({ headers }: { headers: Headers }, relation: string): string | undefined {
  // <URL>, then parameters up to the next link. A link may have several relations.
  const link = new RegExp(`<([^>]*)>[^<]*;\\s*rel\\s*=\\s*(?:"(?:[^"]*\\s)?)?${relation}(?![^\\s";,])`, 'i');
  return link.exec(headers.get('Link') ?? '')?.[1];
}
