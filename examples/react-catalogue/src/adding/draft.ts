import type { NewPet, PetStatus } from '@animal-store/client';

/** The values of the form. */
export type Fields = { name: string; categoryId: string; status: PetStatus | '' };

export const empty: Fields = { name: '', categoryId: '', status: 'available' };

/** The animal to add. A category that is not a number is sent unchanged, because the API explains what is wrong. */
export function petOf({ name, categoryId, status }: Fields): NewPet {
  return { name, categoryId: Number.parseFloat(categoryId), ...(status === '' ? {} : { status }) };
}
