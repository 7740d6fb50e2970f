import { connect, type Socket } from 'node:net';

/** A request as it goes over the wire, again and again. */
export type Target = { port: number; bytes: Buffer };

export type LoadResult = {
  /** Replies per second. */
  rate: number;
  /** The part of the time in which the load itself was busy; near 1 it is the load that was measured. */
  busy: number;
};

type LoadOptions = { connections: number; seconds: number };

/**
 * Closed loop: every connection sends its next request when the reply to the last one is there. Sockets instead of
 * node:http, whose client costs about as much as the server that is to be measured.
 *
 * @throws Error at the first reply that is not 2xx: its rate would say nothing
 */
export async function measureRate(target: Target, { connections, seconds }: LoadOptions): Promise<LoadResult> {
  let replies = 0;
  let over = false;
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const deadline = setTimeout(() => {
    over = true;
  }, seconds * 1_000);
  const onReply = () => {
    replies += 1;
    return !over;
  };
  try {
    await Promise.all(Array.from({ length: connections }, () => keepAsking(target, onReply)));
  } finally {
    clearTimeout(deadline);
  }
  const elapsed = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { rate: replies / (elapsed / 1_000), busy: (user + system) / 1_000 / elapsed };
}

/** The bytes of a request; its connection stays open. */
export function requestBytes(method: string, path: string, headers: Record<string, string>, body = ''): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (body !== '') lines.push(`Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${lines.join('')}\r\n${body}`);
}

/** Asks on one connection for as long as `onReply` wants more. */
function keepAsking({ port, bytes }: Target, onReply: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => socket.write(bytes));
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const reply = readReply(received);
      if (reply === undefined) return;
      received = Buffer.alloc(0);
      if (!/^2/.test(reply.status)) socket.destroy(new Error(`The server answered ${reply.text}`));
      else if (onReply()) socket.write(bytes);
      else socket.end();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve());
  });
}

/** Undefined until the whole reply is there. Each reply of the API has a Content-Length. */
function readReply(received: Buffer): { status: string; text: string } | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = received.toString('latin1', 0, end);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
  if (received.length < end + 4 + length) return undefined;
  return { status: head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length), text: received.toString() };
}
