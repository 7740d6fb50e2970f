import { dig } from '../../common/json.ts';
import { isSafe, kindOf, resolve } from '../../contract/document.ts';
import type { Rule } from '../redocly.ts';
import { eachServedOperation, type Named } from '../served.ts';
import { formMistake } from './forms.ts';

export type Mistake = { message: string; at?: string };

/** The server supports each media type that an operation documents. */
export const mediaTypes: Rule = () =>
  eachServedOperation(({ node, document, method, requestBody, requestBodies, responses }, report) => {
    for (const [bodies, isRequest] of [
      [requestBodies, true] as const,
      ...responses.map(({ bodies }) => [bodies, false] as const),
    ]) {
      for (const body of bodies) {
        const { name, node } = body;
        const schema = resolve(document, dig(node, 'schema'));
        const mistake =
          nameMistake(name) ?? kindMistake(name, node, schema, isRequest) ?? formMistake(document, body, isRequest);
        if (mistake === undefined) continue;
        const { message, at } = mistake;
        report({ message, location: at === undefined ? body.location : body.location.child([at]) });
      }
    }
    const isStreamed = ({ node }: Named) => dig(node, 'x-stream') === true;
    const [streamed] = responses.flatMap(({ bodies }) => bodies).filter(isStreamed);
    const hasOwn = dig(node, 'x-transaction') === 'own' || requestBodies.some(isStreamed);
    if (streamed !== undefined && !isSafe(method) && !hasOwn) {
      const message =
        'The transaction of a writing operation ends before its response is sent, so a stream could not read from it. Use GET or x-transaction: own, or send the response as a whole.';
      report({ message, location: streamed.location.child(['x-stream']) });
    }
    if (requestBody === undefined || new Set(requestBodies.map(isStreamed)).size < 2) return;
    const message =
      'An operation receives its body either as a whole or as a stream. Write "x-stream: true" for each of its media types, or for none.';
    report({ message, location: requestBody.location.child(['content']) });
  });

function nameMistake(name: string): Mistake | undefined {
  const plain = name.split(';')[0]?.trim().toLowerCase() ?? '';
  if (name !== plain) return { message: `Write the media type in lower case and without parameters: ${plain}.` };
  if (name.includes('*'))
    return { message: `"${name}" is not one media type. List each media type by its name, like image/png.` };
  if (name.startsWith('multipart/') && kindOf(name) !== 'form') {
    return {
      message: `The server reads no ${name}. Use multipart/form-data, or a binary media type with x-max-bytes.`,
    };
  }
  return undefined;
}

function kindMistake(name: string, node: unknown, schema: unknown, isRequest: boolean): Mistake | undefined {
  const isStream = dig(node, 'x-stream') === true;
  const kind = kindOf(name);
  switch (kind) {
    case 'json':
      if (schema === undefined) return { message: 'The server validates JSON with its schema. Add a schema.' };
      if (!isStream) return undefined;
      return {
        message: 'JSON is sent as a whole. Remove x-stream, or use application/x-ndjson in a response.',
        at: 'x-stream',
      };
    case 'lines':
    case 'events':
      if (isRequest)
        return {
          message: `The server does not accept ${name} in requests. Use application/json, or text/plain with "x-stream: true".`,
        };
      if (schema === undefined)
        return { message: `The server validates each item of ${name} with the schema. Add the schema of one item.` };
      return isStream ? undefined : { message: `The server always streams ${name}. Add "x-stream: true".` };
    case 'form':
      // `formMistake` looks at the fields.
      return isRequest ? undefined : { message: `The server sends no ${name}. Use application/json.` };
    case 'text':
      if (schema === undefined || (dig(schema, 'type') === 'string' && dig(schema, 'format') !== 'binary'))
        return undefined;
      return {
        message: `The server treats ${name} as text: write "schema: { type: string }". For an object, use application/json.`,
        at: 'schema',
      };
    default:
      if (schema === undefined || (dig(schema, 'type') === 'string' && dig(schema, 'format') === 'binary'))
        return undefined;
      return {
        message: `The server treats ${name} as bytes: write "schema: { type: string, format: binary }", or no schema. For an object, use application/json.`,
        at: 'schema',
      };
  }
}
