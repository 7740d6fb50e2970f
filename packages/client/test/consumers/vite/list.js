import { createAnimalStore } from '@animal-store/client';

/** All that a page does which only lists: what the rest of the client weighs must not be in its bundle. */
export async function listPets(apiKey, baseUrl) {
  const { data, error } = await createAnimalStore({ apiKey, baseUrl }).GET('/pets');
  if (error) throw new Error(error.message);
  return data;
}
