import { problemTitle } from '@contract-first/service/facts';
import { dig, entriesOf } from '../common/json.ts';
import { examplesOf } from './examples.ts';

/** Whether a response with this status is an error: a range such as `4XX`, and `default`, are errors, too. */
export function isErrorStatus(status: string): boolean {
  return /^([45](\d\d|XX)|default)$/.test(status);
}

/** Whether an error has the form of the server. Another one has a form of the contract, and may have no body. */
export function isServerForm({ content }: { content?: object | undefined }): boolean {
  const bodies = entriesOf(content);
  return (
    bodies.length > 0 && bodies.every(([, media]) => dig(media, 'schema', '$ref') === '#/components/schemas/Error')
  );
}

/** Whether the errors of a contract are problems (RFC 9457), by its schema `Error`. */
export function hasProblems(document: unknown): boolean {
  return dig(document, 'components', 'schemas', 'Error', 'properties', 'detail') !== undefined;
}

/** The media type of all errors of a contract. */
export function errorTypeOf(document: unknown): string {
  return hasProblems(document) ? 'application/problem+json' : 'application/json';
}

/** The body of an error in the form of the contract, as the service sends it. */
export function errorBody(document: unknown, code: string, message: string, status: number) {
  if (!hasProblems(document)) return { code, message, status };
  return { type: `/docs/errors.html#${code}`, title: problemTitle(code), status, detail: message, code };
}

/** The errors in the examples of a response. */
export function errorsIn(content: unknown): { code: string; message: string }[] {
  return entriesOf(content)
    .flatMap(([, media]) => examplesOf(media))
    .flatMap((example) => {
      const code = dig(example, 'code');
      return typeof code === 'string'
        ? [{ code, message: String(dig(example, 'message') ?? dig(example, 'detail')) }]
        : [];
    });
}
