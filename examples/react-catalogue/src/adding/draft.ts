import { newIdempotencyKey, type PetStatus } from '@animal-store/client';

/** The values of the form. */
export type Fields = { name: string; categoryId: string; status: PetStatus | '' };

/**
 * An animal that the user is entering. Every attempt to add it sends the same key, so that pressing the button again
 * after a lost response adds no second one. Another animal has another key.
 */
export type Draft = { fields: Fields; idempotencyKey: string };

const empty: Fields = { name: '', categoryId: '', status: 'available' };

export function newDraft(fields: Fields = empty): Draft {
  return { fields, idempotencyKey: newIdempotencyKey() };
}

/** The request to add it. A category that is not a number is sent unchanged, because the API explains what is wrong. */
export function requestFor({ fields, idempotencyKey }: Draft) {
  const { name, categoryId, status } = fields;
  const body = { name, categoryId: Number.parseFloat(categoryId), ...(status === '' ? {} : { status }) };
  return { body, params: { header: { 'Idempotency-Key': idempotencyKey } } };
}
