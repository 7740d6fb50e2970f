import assert from 'node:assert/strict';
import { createPet, defaults, getPet, listPets, updatePet } from './generated/api';

const { BASE_URL = '', API_KEY = '' } = process.env;
defaults.baseUrl = BASE_URL;
defaults.headers = { authorization: `Bearer ${API_KEY}` };

const created = await createPet({ name: 'oazapfts', categoryId: 3, status: 'available' });
assert.equal(created.status, 201);
const pet = created.data;
const page = await listPets({ id: [pet.id, 999_999] });
assert.equal(page.status, 200);
assert.deepEqual(page.data, [{ id: pet.id, name: 'oazapfts', categoryId: 3, status: 'available' }]);
const headers = { 'Content-Type': 'application/merge-patch+json' };
const changed = await updatePet(pet.id, '*', { status: null }, {}, { headers });
assert.equal(changed.status, 200);
assert.deepEqual(changed.data, { id: pet.id, name: 'oazapfts', categoryId: 3 });
const missing = await getPet(999_999);
assert.equal(missing.status, 404);
assert.equal(missing.data.code, 'pet_not_found');
