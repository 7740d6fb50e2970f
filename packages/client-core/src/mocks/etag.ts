/** The ETag of an encoded body, which changes with the body. */
export function etagOf(content: string): string {
  const hash = [...content].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) >>> 0, 0);
  return `"${hash.toString(16)}"`;
}

/** Whether `If-None-Match` names an ETag, weak or strong (RFC 9110, section 13.1.2). */
export function matchesEtag(header: string, etag: string): boolean {
  return header.trim() === '*' || tagsIn(header).some((tag) => tag.replace(/^W\//, '') === etag);
}

/**
 * Whether `If-Match` allows changing a resource (RFC 9110, section 13.1.1): it contains the ETag of the resource or of a
 * page with only the resource, or `*`.
 */
export function matchesVersion(header: string, resource: object): boolean {
  const etags = [resource, [resource]].map((body) => etagOf(JSON.stringify(body)));
  return header.trim() === '*' || tagsIn(header).some((tag) => etags.includes(tag));
}

function tagsIn(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
}
