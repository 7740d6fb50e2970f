import { dig } from '../../common/json.ts';
import { kindOf } from '../../contract/document.ts';
import type { Rule } from '../redocly.ts';
import { eachServedOperation, type Named } from '../served.ts';
import { formMistake } from './forms.ts';

export type Mistake = { message: string; at?: string };

/** The server supports each media type that an operation documents. */
export const mediaTypes: Rule = () =>
  eachServedOperation(({ document, requestBody, requestBodies, responses }, report) => {
    for (const [bodies, isRequest] of [
      [requestBodies, true] as const,
      ...responses.map(({ bodies }) => [bodies, false] as const),
    ]) {
      for (const body of bodies) {
        const mistake = mistakeOf(body, isRequest) ?? formMistake(document, body, isRequest);
        if (mistake === undefined) continue;
        const { message, at } = mistake;
        report({ message, location: at === undefined ? body.location : body.location.child([at]) });
      }
    }
    const isStreamed = ({ node }: Named) => dig(node, 'x-stream') === true;
    if (requestBody === undefined || new Set(requestBodies.map(isStreamed)).size < 2) return;
    const message =
      'An operation receives its body either as a whole or as a stream. Write "x-stream: true" for each of its media types, or for none.';
    report({ message, location: requestBody.location.child(['content']) });
  });

/** The first mistake of a body that cannot be completed to what the server reads and writes. */
function mistakeOf({ name, node }: Named, isRequest: boolean): Mistake | undefined {
  const kind = kindOf(name);
  if (name.startsWith('multipart/') && kind !== 'form')
    return {
      message: `The server reads no ${name}. Use multipart/form-data, or a binary media type with x-max-bytes.`,
    };
  if (kind === 'json' && dig(node, 'x-stream') === true) {
    const message = 'JSON is sent as a whole. Remove x-stream, or use application/x-ndjson in a response.';
    return { message, at: 'x-stream' };
  }
  if ((kind === 'lines' || kind === 'events') && isRequest) {
    const message = `The server does not accept ${name} in requests. Use application/json, or text/plain with "x-stream: true".`;
    return { message };
  }
  // `formMistake` looks at the fields of those in requests.
  return kind === 'form' && !isRequest ? { message: `The server sends no ${name}. Use application/json.` } : undefined;
}
