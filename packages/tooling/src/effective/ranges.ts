import { dig, entriesOf } from '../common/json.ts';
import { isWithin } from '../contract/error-form.ts';
import { defaults } from './defaults.ts';
import type { Draft } from './draft.ts';
import { addCode, errorResponse, givenIn } from './errors.ts';

/** The errors that operations of many APIs return. Their codes exist if the contract documents a range of them. */
const usual = [402, 403, 404, 409, 410, 422, 502, 504];

/**
 * Completes `4XX`, `5XX` and `default` after all operations, each of which may have added a code: such a response has the codes with a
 * status in its range, except those that the server itself sends.
 */
export function completeRanges(draft: Draft): void {
  const { ranges } = draft;
  if (ranges.some(({ status, isPublic }) => isPublic && isWithin(401, status))) addCode(draft, 401);
  for (const status of usual.filter((one) => ranges.some((range) => isWithin(one, range.status)))) {
    addCode(draft, status);
  }
  const codes = entriesOf(dig(draft.components, 'schemas', 'ErrorCode', 'x-codes'))
    .filter(([code]) => !Object.hasOwn(defaults.codes, code))
    .map(([code, row]) => ({ code, status: Number(dig(row, 'status')) }))
    .sort((one, other) => one.status - other.status);
  for (const { key, responses, status, isPublic } of ranges) {
    const within = codes.filter((row) => isWithin(row.status, status) && (isPublic || row.status !== 401));
    const names = within.map(({ code }) => code);
    const given = givenIn(draft, draft.resolve(responses[status]), 'Another error.');
    responses[status] = { $ref: errorResponse(draft, status, names, isPublic, given) };
    draft.note(
      `4XX, 5XX and default have the codes of their statuses: ${codes.map(({ code }) => code).join(', ')}.`,
      key,
    );
  }
}
