import { createAnimalStore, isApiError, unwrap } from '@animal-store/client';

const search = new URLSearchParams(location.search);
const store = createAnimalStore({ apiKey: search.get('key') ?? '', baseUrl: search.get('url') ?? '' });

const added = await unwrap(store.POST('/pets', { body: { name: 'Daisy', categoryId: 3 } }));
const names = [];
for await (const pet of store.pets.list()) names.push(pet.name);
const order = unwrap(store.GET('/store/orders/{orderId}', { params: { path: { orderId: 1 } } }));
const refusal = await order.catch((error: unknown) => (isApiError(error) ? error.code : undefined));

const said = JSON.stringify({ added: added.name, isListed: names.includes('Daisy'), refusal });
for (const output of document.querySelectorAll('output')) output.textContent = said;
