import { identityOf } from '../../fuzz/schemas/values.ts';
import type { Expected } from './expected.ts';

/** What the model has learnt of ETags: a body has one, and another body has another one. */
export type Etags = {
  /** The body of each ETag. The one seen last comes last. */
  bodies: Map<string, string>;
  /** Those that each operation has sent. */
  seen: Map<string, string[]>;
};

export function emptyEtags(): Etags {
  return { bodies: new Map(), seen: new Map() };
}

/** What an ETag stands for: a body, whatever order its properties have, and the next page that a Link names. */
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

/** Learns the ETag of a response, and says what is wrong with it. */
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
