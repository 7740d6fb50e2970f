import { createAnimalStore, isApiError, unwrap } from '@animal-store/client';

const { ANIMAL_STORE_KEY: apiKey, ANIMAL_STORE_URL: baseUrl } = process.env;
const store = createAnimalStore({ apiKey, baseUrl });

const added = await unwrap(store.POST('/pets', { body: { name: 'Rex', categoryId: 3 } }));
const listed = [];
for await (const pet of store.pets.list({ limit: 1 })) listed.push(pet.id);
const order = unwrap(store.GET('/store/orders/{orderId}', { params: { path: { orderId: 1 } } }));
const refusal = await order.catch((error) => isApiError(error) && error.code);

console.log(JSON.stringify({ added: added.name, isListed: listed.includes(added.id), refusal }));
