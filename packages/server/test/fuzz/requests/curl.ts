import type { HttpRequest } from './request.ts';

/** The development key, so that a line works as pasted while `npm start` is running. */
export const developmentKey = '$(cat data/animal-store.development-key)';

/**
 * A request as a curl command for sh.
 *
 * @param base the URL of the server, without the base path
 * @param key the API key, as a shell expression
 */
export function curlLine(
  { method, target, headers, body, padding, isChunked = false }: HttpRequest,
  { base = 'http://127.0.0.1:3000', key = developmentKey }: { base?: string; key?: string } = {},
): string {
  const given = headers.map(
    ([name, value]) => `-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`, 'latin1')}`,
  );
  const hasBody = body !== undefined || padding !== undefined;
  const isPlain = typeof body === 'string' && !body.includes('\u0000') && padding === undefined;
  const data = isPlain ? [`--data-binary ${quoted(body, 'utf8')}`] : [...(hasBody ? ['--data-binary @-'] : [])];
  // curl sends its own Content-Type and User-Agent unless they are given.
  const type = !hasBody || headers.some(([name]) => name === 'Content-Type') ? [] : ["-H 'Content-Type:'"];
  const parts = [
    ...(method === 'HEAD' ? ['--head'] : [`-X ${method}`]),
    quoted(`${base}${target}`, 'utf8'),
    `-H "Authorization: Bearer ${key}"`,
    ...given,
    ...type,
    ...(isChunked && hasBody ? ["-H 'Transfer-Encoding: chunked'"] : []),
    ...data,
  ];
  const line = `curl -i --globoff --path-as-is ${parts.join(' ')}`;
  return isPlain || !hasBody ? line : `${piped(body ?? '', padding)} | ${line}`;
}

/** Commands that write a body to a file because an argument cannot hold it: it contains null bytes or is too long. */
function piped(body: string | Uint8Array, padding: HttpRequest['padding']): string {
  const start = `printf %b '${octals(Buffer.from(body))}'`;
  if (padding === undefined) return start;
  return `{ ${start}; head -c ${padding.bytes} /dev/zero | tr '\\0' '${padding.character}'; }`;
}

/** Plain text in single quotes; anything else byte by byte through printf, since sh has no $'...'. */
function quoted(text: string, encoding: 'utf8' | 'latin1'): string {
  if (/^[\x20-\x7e]*$/.test(text) && !text.includes("'")) return `'${text}'`;
  return `"$(printf %b '${octals(Buffer.from(text, encoding))}')"`;
}

function octals(bytes: Uint8Array): string {
  const isPlain = (byte: number) => byte >= 0x20 && byte <= 0x7e && byte !== 0x27 && byte !== 0x5c;
  return [...bytes].map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : octal(byte))).join('');
}

function octal(byte: number): string {
  return `\\0${byte.toString(8).padStart(3, '0')}`;
}
