import { askOnce } from '../../../load/ask-once.ts';

/** A reply, without what is another one each time. */
export type Seen = { status: number; headers: Record<string, string[]>; body: unknown };

/** What belongs to the connection, or to the framework's way of writing the same. */
const ofTheConnection = new Set(['date', 'connection', 'keep-alive', 'content-length']);
/** How long it is until a window ends, or how much is left of it, is another one a moment later. */
const ofTheMoment = new Set(['x-ratelimit-reset', 'x-ratelimit-remaining', 'retry-after']);

/** Sends a request over a connection of its own, and reads the reply so far as replies can be compared. */
export async function see(port: number, bytes: Buffer): Promise<Seen> {
  const reply = await askOnce(port, bytes);
  const [head = '', json = ''] = reply.text().split('\r\n\r\n');
  const headers: Record<string, string[]> = {};
  for (const line of head.split('\r\n').slice(1)) {
    const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(line) ?? [];
    const key = name.toLowerCase();
    if (!ofTheConnection.has(key)) headers[key] = [...(headers[key] ?? []), ...valuesOf(key, value)];
  }
  return { status: reply.status, headers, body: JSON.parse(json) };
}

function valuesOf(name: string, value: string): string[] {
  // Two headers are one whose values a comma parts (RFC 9110 5.3).
  if (name === 'link') return value.split(', <').map((part, index) => (index === 0 ? part : `<${part}`));
  // JSON is UTF-8, so a charset says nothing (RFC 8259 11).
  if (name === 'content-type') return [value.replace('; charset=utf-8', '').replace('; charset=UTF-8', '')];
  if (name === 'x-request-id') return [value.replace(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'UUID')];
  return [ofTheMoment.has(name) ? value.replace(/^\d+$/, 'N') : value];
}

/** The frameworks say in their own words what is wrong, and some stop at the first problem. */
export function comparable(seen: Seen): unknown {
  if (seen.status === 429)
    return { ...seen, body: JSON.stringify(seen.body).replaceAll(/\d+ (more )?seconds/g, 'N seconds') };
  if (seen.status !== 400) return seen;
  const { body } = seen;
  if (typeof body !== 'object' || body === null || !('code' in body) || !('status' in body)) return seen;
  return { ...seen, body: [body.code, body.status, Object.keys(body)] };
}
