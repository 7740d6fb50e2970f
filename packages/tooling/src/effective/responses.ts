import { STATUS_CODES } from 'node:http';
import { completeContent } from './bodies.ts';
import { type Draft, isObject, type JsonObject } from './draft.ts';
import { completeError } from './errors.ts';
import { addHeaders } from './headers.ts';

/** The documented responses of an operation: each gets an exact status, a description, headers and an example. */
export function completeResponses(draft: Draft, key: string, responses: JsonObject, isPublic: boolean): void {
  addSuccess(draft, key, responses);
  for (const [status, response] of Object.entries(responses)) {
    if (!/^\d{3}$/.test(status)) {
      delete responses[status];
      draft.note('default and ranges of statuses are left out: every response has an exact status.', key);
    } else if (/^[45]/.test(status)) {
      completeError(draft, key, responses, status, isPublic);
    } else {
      const found = draft.resolve(response);
      if (!isObject(found)) continue;
      found['description'] ??= `${STATUS_CODES[status] ?? 'Success'}.`;
      addHeaders(draft, found, status, isPublic);
      completeContent(draft, key, found, false);
    }
  }
}

/** Gives an operation without a successful status one. */
function addSuccess(draft: Draft, key: string, responses: JsonObject): void {
  const statuses = Object.keys(responses);
  if (statuses.some((status) => /^[23]\d\d$/.test(status) && status !== '304')) return;
  const isOnly = statuses.length === 1;
  const range = statuses.find((status) => /^2XX$/i.test(status) || (isOnly && status === 'default'));
  const given = range === undefined ? undefined : responses[range];
  responses[given === undefined ? '204' : '200'] = given ?? { description: 'Done.' };
  draft.note(
    'No successful status is documented: 2XX or a lone default is 200, and an operation without one returns 204.',
    key,
  );
}
