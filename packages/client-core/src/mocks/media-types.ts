import { isJson } from '../headers/media-type.ts';
import type { DocumentedReply } from './contract.ts';

/** The media type of an example. */
export function mediaTypeOf({ mediaTypes = {} }: DocumentedReply, name = ''): string {
  return mediaTypes[name] ?? 'application/json';
}

/** The names of the examples in a media type that the request accepts, the most preferred first. */
export function acceptedExamples(reply: DocumentedReply, accept: string | null): string[] {
  const names = Object.keys(reply.bodies);
  return rangesOf(accept ?? '*/*').flatMap((range) => names.filter((name) => matches(mediaTypeOf(reply, name), range)));
}

/** The media ranges of an `Accept` header, most preferred first (RFC 9110, section 12.5.1). */
function rangesOf(accept: string): string[] {
  return accept
    .split(',')
    .map((part) => {
      const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim());
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
      return { range: range.toLowerCase(), quality: Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ range }) => range);
}

function matches(mediaType: string, range: string): boolean {
  return range === '*/*' || range === mediaType || (range.endsWith('/*') && mediaType.startsWith(range.slice(0, -1)));
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
