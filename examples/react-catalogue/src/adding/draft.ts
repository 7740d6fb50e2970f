import { newIdempotencyKey, type PetStatus } from '@animal-store/client';

/** What is in the form. */
export type Fields = { name: string; categoryId: string; status: PetStatus | '' };

/**
 * An animal that is being typed in. Its key goes with every try to add it: pressing the button again after a reply got
 * lost adds no second one. Another animal has another key.
 */
export type Draft = { fields: Fields; idempotencyKey: string };

const empty: Fields = { name: '', categoryId: '', status: 'available' };

export function newDraft(fields: Fields = empty): Draft {
  return { fields, idempotencyKey: newIdempotencyKey() };
}

/** The request for it. What is no number is sent as it is: the API says what is wrong, and where. */
export function requestFor({ fields, idempotencyKey }: Draft) {
  const { name, categoryId, status } = fields;
  const body = { name, categoryId: Number.parseFloat(categoryId), ...(status === '' ? {} : { status }) };
  return { body, params: { header: { 'Idempotency-Key': idempotencyKey } } };
}
