/** What a program does with a body of a media type. */
export type MediaTypeKind = 'json' | 'text' | 'lines' | 'events' | 'binary';

/** `application/merge-patch+json` is JSON, `text/csv` text, `image/png` binary; parameters do not matter. */
export function kindOf(mediaType: string): MediaTypeKind {
  const [name = ''] = mediaType.toLowerCase().split(';');
  const type = name.trim();
  if (type === 'application/json' || type.endsWith('+json')) return 'json';
  if (type === 'application/x-ndjson' || type === 'application/jsonl') return 'lines';
  if (type === 'text/event-stream') return 'events';
  return type.startsWith('text/') ? 'text' : 'binary';
}
