import { identityOf } from '../../fuzz/schemas/values.ts';
import type { Expected } from './expected.ts';

/** The ETags that the model has seen. Each body has one ETag, and different bodies have different ETags. */
export type Etags = {
  /** The body of each ETag, the most recently seen last. */
  bodies: Map<string, string>;
  /** The ETags that each operation has sent. */
  seen: Map<string, string[]>;
};

export function emptyEtags(): Etags {
  return { bodies: new Map(), seen: new Map() };
}

/** The content that an ETag identifies: a body, regardless of the order of its properties, and the next page in Link. */
export function bodyOf(body: unknown, next?: string): string {
  return `${identityOf(body)}${next ?? ''}`;
}

/** The ETag of a body; undefined if it was never sent. */
export function etagOfBody({ bodies }: Etags, wanted: string): string | undefined {
  return [...bodies].find(([, body]) => body === wanted)?.[0];
}

export function etagsSeenBy({ seen }: Etags, id: string): string[] {
  return seen.get(id) ?? [];
}

/** Remembers the ETag of a response, and returns its problems. */
export function learnEtag(etags: Etags, id: string, { body, next }: Expected, etag: string | null): string[] {
  if (etag === null) return ['the header ETag is missing'];
  const expected = bodyOf(body, next);
  const other = etags.bodies.get(etag);
  const before = etagOfBody(etags, expected);
  etags.bodies.delete(etag);
  etags.bodies.set(etag, expected);
  etags.seen.set(id, [...etagsSeenBy(etags, id).filter((seen) => seen !== etag), etag]);
  if (other !== undefined && other !== expected) return [`the ETag ${etag} is that of another body, ${other}`];
  if (before !== undefined && before !== etag)
    return [`the ETag should be ${before}, as of the same body before, and is ${etag}`];
  return [];
}
