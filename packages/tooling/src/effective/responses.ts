import { STATUS_CODES } from 'node:http';
import { dig } from '../common/json.ts';
import { isErrorStatus } from '../contract/error-form.ts';
import { completeContent } from './bodies.ts';
import { type Draft, isObject, type JsonObject } from './draft.ts';
import { addHeaders } from './headers.ts';

/** The documented responses of an operation: each success gets an exact status, and each response a description, headers and an example. */
export function completeResponses(
  draft: Draft,
  key: string,
  responses: JsonObject,
  { isPublic, lifecycle }: { isPublic: boolean; lifecycle: readonly string[] },
): void {
  for (const status of Object.keys(responses).filter((one) => /^[1-5]xx$/i.test(one))) {
    const { [status]: range = {} } = responses;
    delete responses[status];
    responses[status.toUpperCase()] = range;
  }
  addSuccess(draft, key, responses);
  for (const [status, response] of Object.entries(responses)) {
    if (isErrorStatus(status)) continue;
    if (!/^\d{3}$/.test(status)) {
      delete responses[status];
      if (/^\dXX$/.test(status))
        draft.change('Ranges of successful statuses are left out: a success has an exact status.', key);
    } else {
      const found = draft.resolve(response);
      if (!isObject(found)) continue;
      found['description'] ??= `${STATUS_CODES[status] ?? 'Success'}.`;
      if (!draft.isOurs && /^(204|205|304)$/.test(status) && found['content'] !== undefined) {
        delete found['content'];
        draft.change('The body of a 204, 205 or 304 is left out: HTTP has none.', key);
      }
      // Operations share only the responses that they refer to.
      const isOwn = draft.isOurs && dig(response, '$ref') === undefined;
      addHeaders(draft, found, status, isPublic, isOwn ? lifecycle : undefined);
      completeContent(draft, key, found, false);
    }
  }
}

/** Gives an operation without a successful status one. In a contract that was written for the service, lint reports it. */
function addSuccess(draft: Draft, key: string, responses: JsonObject): void {
  if (draft.isOurs) return;
  const statuses = Object.keys(responses);
  if (statuses.some((status) => /^[23]\d\d$/.test(status) && status !== '304')) return;
  const isRange = (status: string) => status in responses && !(status === 'default' && isError(draft, responses));
  const success = ['2XX', 'default'].find(isRange);
  responses[success === undefined ? '204' : '200'] = responses[success ?? ''] ?? { description: 'Done.' };
  if (success !== undefined) delete responses[success];
  draft.change(
    'No successful status is documented: 2XX is 200, and so is default if it is no error. An operation without them returns 204.',
    key,
  );
}

/** Whether the response `default` is a problem, or has the body of a documented error. */
function isError(draft: Draft, responses: JsonObject): boolean {
  const contentOf = (status: string) => JSON.stringify(dig(draft.resolve(responses[status]), 'content') ?? {});
  const content = contentOf('default');
  return (
    content.includes('"application/problem+json":') ||
    Object.keys(responses).some((other) => /^[45]/.test(other) && contentOf(other) === content)
  );
}
