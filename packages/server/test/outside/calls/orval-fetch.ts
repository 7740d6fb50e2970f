import assert from 'node:assert/strict';
import { createPet, getPet, listPets, updatePet } from './generated/fetch';

const { API_KEY = '' } = process.env;
const headers = { authorization: `Bearer ${API_KEY}` };

const { status, data: pet } = await createPet({ name: 'orval', categoryId: 3, status: 'available' }, { headers });
assert.equal(status, 201);
const { data: pets } = await listPets({ id: [pet.id, 999_999] }, { headers });
assert.deepEqual(pets, [{ id: pet.id, name: 'orval', categoryId: 3, status: 'available' }]);
const changed = await updatePet(pet.id, { status: null }, { headers: { ...headers, 'if-match': '*' } });
assert.deepEqual(changed.data, { id: pet.id, name: 'orval', categoryId: 3 });
const missing = await getPet(999_999, { headers });
assert.equal(missing.status, 404);
assert.equal(missing.data.code, 'pet_not_found');
