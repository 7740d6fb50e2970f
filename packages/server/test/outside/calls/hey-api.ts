import assert from 'node:assert/strict';
import { createPet, getPet, listPets, updatePet } from './generated';
import { client } from './generated/client.gen';

const { BASE_URL = '', API_KEY = '' } = process.env;
client.setConfig({ baseUrl: BASE_URL, auth: API_KEY });

const { data: pet } = await createPet({ body: { name: 'hey-api', categoryId: 3, status: 'available' } });
assert.ok(pet);
const { data: pets } = await listPets({ query: { id: [pet.id, 999_999] } });
assert.deepEqual(pets, [{ id: pet.id, name: 'hey-api', categoryId: 3, status: 'available' }]);
const change = { path: { petId: pet.id }, body: { status: null }, headers: { 'If-Match': '*' } };
const { data: changed } = await updatePet(change);
assert.deepEqual(changed, { id: pet.id, name: 'hey-api', categoryId: 3 });
const { error } = await getPet({ path: { petId: 999_999 } });
assert.equal(error?.code, 'pet_not_found');
