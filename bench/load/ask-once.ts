import { connect } from 'node:net';
import { type Reply, ReplyReader } from './reply-reader.ts';

/** Sends one request over a connection of its own; resolves to the whole reply. */
export function askOnce(port: number, bytes: Buffer): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const reader = new ReplyReader();
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => socket.write(bytes));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The server hung up.')));
    socket.on('data', (chunk) => {
      const reply = reader.read(chunk);
      if (reply === undefined) return;
      resolve(reply);
      socket.destroy();
    });
  });
}
