import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';
import { type Encoding, encodings } from './manifest.ts';

type Choose = (available: readonly string[], options: { preferred: readonly string[] }) => string[];

/**
 * The encoding that a reader gets (RFC 9110, 12.5.3): the one it likes best, and of equals the smallest. Undefined for
 * the file as it is, also when the reader refuses that as well: a response of another form than asked for beats none.
 */
export function chooseEncoding(headers: IncomingHttpHeaders, available: readonly Encoding[]): Encoding | undefined {
  const negotiator = new Negotiator({ headers });
  // Its published types are older than this option: without it, browsers would get gzip, which they name first.
  const choose: Choose = negotiator.encodings.bind(negotiator);
  const [best] = choose([...available, 'identity'], { preferred: Object.keys(encodings) });
  return available.find((encoding) => encoding === best);
}
