import { connect, type Socket } from 'node:net';

/** Parses a response as received over the wire. Throws if it is not one. */
export function parseResponse(bytes: string): { status: number; headers: Headers; text: string } {
  // Not `split`, which would copy all responses that follow this one.
  const end = bytes.indexOf('\r\n\r\n');
  const head = end === -1 ? bytes : bytes.slice(0, end);
  const [line = '', ...fields] = head.split('\r\n');
  const status = /^HTTP\/1\.1 ([0-9]{3}) /.exec(line)?.[1];
  if (status === undefined) throw new Error(`This is no response: ${bytes}`);
  const headers = fields.map((field): [string, string] => {
    const [name = '', ...value] = field.split(':');
    return [name, value.join(':').trim()];
  });
  return { status: Number(status), headers: new Headers(headers), text: end === -1 ? '' : bytes.slice(end + 4) };
}

/** A connection to a server, for requests that no HTTP library would send. */
export function openSocket(url: string, options: { allowHalfOpen?: boolean; localAddress?: string } = {}): Socket {
  return connect({ port: Number(new URL(url).port), host: '127.0.0.1', ...options });
}

/** Sends bytes, and returns everything that the server sends until it closes the connection, one character per byte. */
export function sendBytes(url: string, bytes: string | Uint8Array): Promise<string> {
  const socket = openSocket(url);
  socket.write(bytes);
  return received(socket);
}

/** Everything that the server sends over a connection until it closes or resets it. */
export function received(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.on('data', (data) => {
      text += data.toString('latin1');
    });
    socket.on('close', () => resolve(text));
    // If the server closes while bytes are still in transit to it, the connection is reset.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
  });
}

export type WireResponse = ReturnType<typeof parseResponse>;

/** Parses the responses of one connection, in order. Each of them must have a Content-Length. */
export function parseResponses(bytes: string): WireResponse[] {
  const responses: WireResponse[] = [];
  let rest = bytes.replaceAll('HTTP/1.1 100 Continue\r\n\r\n', '');
  while (rest !== '') {
    const { status, headers, text } = parseResponse(rest);
    const length = Number(headers.get('content-length') ?? 0);
    responses.push({ status, headers, text: text.slice(0, length) });
    rest = text.slice(length);
  }
  return responses;
}

/** The status of each response, with its code if it is an Error. */
export function verdicts(responses: WireResponse[]): string[] {
  return responses.map(({ status, text }) => (status < 400 ? `${status}` : `${status} ${JSON.parse(text).code}`));
}
