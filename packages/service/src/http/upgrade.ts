import type { IncomingMessage, Server } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { closeOf } from './close-gently.ts';
import type { Connection } from './connection.ts';

export type UpgradeRequest = {
  request: IncomingMessage;
  socket: Duplex;
  /** The bytes after the headers. */
  rest: Buffer;
};

/**
 * Ignores an Upgrade header, as RFC 9110 7.8 allows. With an 'upgrade' listener, Node detaches the socket from its parser
 * and passes on the bytes after the headers; without one, it would drop them. The request is then parsed again without
 * the header.
 */
export async function ignoreUpgrade(server: Server, connection: Connection, upgrade: UpgradeRequest): Promise<void> {
  const { request, socket, rest } = upgrade;
  connection.stopParsing(socket);
  const { response } = connection;
  // Node has removed its own error listener, and an unhandled 'error' event would end the process.
  socket.on('error', ignore);
  if (connection.isClosing) return;
  connection.keepForNextRequest();
  // Immediately, before the end of the caller's side is noticed.
  socket.unshift(Buffer.concat([headersWithoutUpgrade(request), rest]));
  if (response !== undefined && !response.destroyed) await closeOf(response, socket);
  if (socket.destroyed || connection.isClosing) return;
  socket.off('error', ignore);
  // Clears the keep-alive timeout that Node set after the last response.
  if (socket instanceof Socket) socket.setTimeout(0);
  server.emit('connection', socket);
  if (socket.isPaused()) socket.resume();
}

const ignore = () => {};

function headersWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.toLowerCase() !== 'upgrade') text += `${name}: ${rawHeaders[index + 1]}\r\n`;
  }
  // Node decodes headers as latin1.
  return Buffer.from(`${text}\r\n`, 'latin1');
}
