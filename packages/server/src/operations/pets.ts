import { ApiError } from './operation.ts';

export function petNotFound(petId: number): ApiError<'pet_not_found'> {
  return new ApiError('pet_not_found', `No animal has the ID ${petId}.`);
}

/** A pet with a placed order can be neither deleted nor given another status. */
export function petHasOrder(petId: number): ApiError<'pet_has_order'> {
  return new ApiError(
    'pet_has_order',
    `Animal ${petId} has a placed order. Complete or cancel the order first, or wait until it expires.`,
  );
}
