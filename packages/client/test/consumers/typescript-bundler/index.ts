import { type AnimalStore, type CallError, createAnimalStore, type NewPet, type Pet } from '@animal-store/client';

// Without @types/node, which the client does not need either.
declare const process: { env: Record<string, string | undefined> };

const { ANIMAL_STORE_KEY: apiKey = '', ANIMAL_STORE_URL: baseUrl = '' } = process.env;
const store: AnimalStore = createAnimalStore({ apiKey, baseUrl });
const luna: NewPet = { name: 'Luna', categoryId: 3, status: 'sold' };

const { data: added } = await store.POST('/pets', { body: luna });
const sold: Pet[] = [];
for await (const pet of store.pets.list({ status: 'sold' })) sold.push(pet);
// @ts-expect-error: the contract has no such status
const { error } = await store.GET('/pets', { params: { query: { status: 'lost' } } });
const refusal: CallError['code'] | undefined = error?.code;

console.log(JSON.stringify({ added: added?.name, isListed: sold.some(({ id }) => id === added?.id), refusal }));
