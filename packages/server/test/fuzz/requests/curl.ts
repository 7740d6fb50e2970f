import type { HttpRequest } from './request.ts';

/** The key that `npm start` keeps, for a line that works as pasted while it runs. */
export const developmentKey = '$(cat data/animal-store.development-key)';

/**
 * A request as a line for sh.
 *
 * @param base where the server is, without the base path
 * @param key the API key, in words of the shell
 */
export function curlLine(
  { method, target, headers, body }: HttpRequest,
  { base = 'http://127.0.0.1:3000', key = developmentKey }: { base?: string; key?: string } = {},
): string {
  const given = headers.map(
    ([name, value]) => `-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`, 'latin1')}`,
  );
  const data = body === undefined ? [] : [`--data-binary ${quoted(body, 'utf8')}`];
  // curl names a type and an agent of its own where none is given.
  const type = body === undefined || headers.some(([name]) => name === 'Content-Type') ? [] : ["-H 'Content-Type:'"];
  const parts = [
    ...(method === 'HEAD' ? ['--head'] : [`-X ${method}`]),
    quoted(`${base}${target}`, 'utf8'),
    `-H "Authorization: Bearer ${key}"`,
    ...given,
    ...type,
    ...data,
  ];
  return `curl -i --globoff --path-as-is ${parts.join(' ')}`;
}

/** Plain text in single quotes; anything else byte by byte through printf, since sh has no $'...'. */
function quoted(text: string, encoding: 'utf8' | 'latin1'): string {
  if (/^[\x20-\x7e]*$/.test(text) && !text.includes("'")) return `'${text}'`;
  const bytes = [...Buffer.from(text, encoding)];
  const isPlain = (byte: number) => byte >= 0x20 && byte <= 0x7e && byte !== 0x27 && byte !== 0x5c;
  const shown = bytes.map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : octal(byte)));
  return `"$(printf %b '${shown.join('')}')"`;
}

function octal(byte: number): string {
  return `\\0${byte.toString(8).padStart(3, '0')}`;
}
