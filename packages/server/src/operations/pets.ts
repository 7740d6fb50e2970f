import { ApiError } from '../contract/api-error.ts';

export function petNotFound(petId: number): ApiError<'pet_not_found'> {
  return new ApiError('pet_not_found', `No animal has the id ${petId}.`);
}

/** As long as an order is placed, its animal can be neither deleted nor given another status. */
export function petHasOrder(petId: number): ApiError<'pet_has_order'> {
  return new ApiError('pet_has_order', `An order for the animal ${petId} is placed. Complete or cancel it first.`);
}
