import { connect } from 'node:net';

/**
 * Sends a request as bytes, with Host and `Connection: close`, and reads all that comes.
 *
 * @param rest further headers, each with its line end; then, after an empty line, the body
 */
export function rawExchange(
  port: number,
  line: string,
  rest: string,
): Promise<{ status: number; headers: string; body: string }> {
  const end = rest.includes('\r\n\r\n') ? '' : '\r\n';
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`${line}\r\nHost: 127.0.0.1\r\nConnection: close\r\n${rest}${end}`),
    );
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes;
    });
    // Who refuses a body may close before all of it was sent; the reply has come by then.
    socket.on('error', (error) => (received === '' ? reject(error) : undefined));
    socket.on('close', () => {
      const [head = '', ...body] = received.split('\r\n\r\n');
      resolve({ status: Number(head.split(' ')[1]), headers: `${head}\r\n`, body: body.join('\r\n\r\n') });
    });
  });
}
