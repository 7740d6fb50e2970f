import client = require('@animal-store/client');

import { apiKey, baseUrl } from './environment.cjs';

async function main(store: client.AnimalStore): Promise<void> {
  const added: client.Pet = await client.unwrap(store.POST('/pets', { body: { name: 'Coco', categoryId: 3 } }));
  const { data: pets = [] } = await store.GET('/pets', { params: { query: { limit: client.defaults.maxConcurrent } } });
  const { error, response } = await store.POST('/store/orders', { body: { petId: 404 } });
  const refusal = error && client.toApiError(error, response);
  console.log(JSON.stringify({ added: added.name, isListed: pets.length > 0, refusal: refusal?.code }));
}

void main(client.createAnimalStore({ apiKey, baseUrl }));
