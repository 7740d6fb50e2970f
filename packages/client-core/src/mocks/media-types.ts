import { isJson } from '../headers/media-type.ts';
import type { DocumentedReply } from './contract.ts';

/** The media type of an example. */
export function mediaTypeOf({ mediaTypes = {} }: DocumentedReply, name = ''): string {
  return mediaTypes[name] ?? 'application/json';
}

/** The first example in a media type that the request accepts, in the order of its `Accept`; otherwise the first of all. */
export function acceptedExample(reply: DocumentedReply, accept: string | null): string | undefined {
  const names = Object.keys(reply.bodies);
  const ranges = (accept ?? '').split(',').map((range) => range.split(';')[0]?.trim().replace(/\*$/, '') ?? '');
  const accepted = ranges.flatMap((range) =>
    range === '*/' ? [] : names.filter((name) => range !== '' && mediaTypeOf(reply, name).startsWith(range)),
  );
  return accepted[0] ?? names[0];
}

/** Encodes a body: as JSON, as one line or event for each item, or unchanged for any other media type. */
export function serialize(body: unknown, mediaType: string): BodyInit {
  if (isJson(mediaType)) return JSON.stringify(body);
  if (Array.isArray(body)) return body.map((item) => frame(item, mediaType)).join('');
  if (typeof body === 'string' || body instanceof Blob || body instanceof ArrayBuffer) return body;
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  throw new TypeError(`A body of ${mediaType} must be a string, a Blob or bytes.`);
}

/** Encodes one item of a stream; text stays unchanged. */
function frame(item: unknown, mediaType: string): string {
  if (typeof item === 'string') return item;
  const json = JSON.stringify(item);
  return mediaType === 'text/event-stream' ? `data: ${json}\n\n` : `${json}\n`;
}

/** Whether a body in this media type is a sequence of items. */
export function hasItems(mediaType: string): boolean {
  return ['application/x-ndjson', 'application/jsonl', 'text/event-stream'].includes(mediaType);
}
