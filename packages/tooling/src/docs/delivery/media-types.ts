import { posix } from 'node:path';

const mediaTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.atom': 'application/atom+xml; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
  '.json': 'application/json',
  '.yaml': 'application/yaml',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

/** @throws Error for an unknown file extension, because the file would have no media type */
export function mediaTypeOf(path: string): string {
  const mediaType = mediaTypes[posix.extname(path)];
  if (mediaType === undefined)
    throw new Error(`The media type of ${path} is unknown. Add it to ${import.meta.filename}.`);
  return mediaType;
}
