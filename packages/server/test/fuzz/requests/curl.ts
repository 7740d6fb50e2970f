import type { HttpRequest } from './request.ts';

/** The key that `npm start` keeps, for a line that works as pasted while it runs. */
export const developmentKey = '$(cat data/animal-store.development-key)';

/** A request as a line for bash or zsh. */
export function curlLine({ method, target, headers, body }: HttpRequest, base = 'http://127.0.0.1:3000'): string {
  const given = headers.map(
    ([name, value]) => `-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`, 'latin1')}`,
  );
  const data = body === undefined ? [] : [`--data-binary ${quoted(body, 'utf8')}`];
  // curl names a type and an agent of its own where none is given.
  const type = body === undefined || headers.some(([name]) => name === 'Content-Type') ? [] : ["-H 'Content-Type:'"];
  const parts = [
    ...(method === 'HEAD' ? ['--head'] : [`-X ${method}`]),
    quoted(`${base}${target}`, 'utf8'),
    `-H "Authorization: Bearer ${developmentKey}"`,
    ...given,
    ...type,
    ...data,
  ];
  return `curl -i --globoff --path-as-is ${parts.join(' ')}`;
}

/** Plain text in single quotes; anything else byte by byte in $'...'. */
function quoted(text: string, encoding: 'utf8' | 'latin1'): string {
  if (/^[\x20-\x7e]*$/.test(text) && !text.includes("'")) return `'${text}'`;
  const bytes = [...Buffer.from(text, encoding)];
  const isPlain = (byte: number) => byte >= 0x20 && byte <= 0x7e && byte !== 0x27 && byte !== 0x5c;
  return `$'${bytes.map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`)).join('')}'`;
}
