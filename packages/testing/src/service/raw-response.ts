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
