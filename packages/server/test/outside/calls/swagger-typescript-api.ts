import assert from 'node:assert/strict';
import { Api, PetStatus, type Error as StoreError } from './generated/api';

const { BASE_URL = '', API_KEY = '' } = process.env;
const api = new Api<string>({
  baseUrl: BASE_URL,
  securityWorker: (key) => ({ headers: { Authorization: `Bearer ${key}` } }),
});
api.setSecurityData(API_KEY);

const { data: pet } = await api.pets.createPet({ name: 'swagger', categoryId: 3, status: PetStatus.Available });
const { data: pets } = await api.pets.listPets({ id: [pet.id, 999_999] });
assert.deepEqual(pets, [{ id: pet.id, name: 'swagger', categoryId: 3, status: 'available' }]);
const headers = { 'Content-Type': 'application/merge-patch+json', 'If-Match': '*' };
// Without a type, the generated code keeps the header.
const { data: changed } = await api.pets.updatePet(pet.id, { status: null }, { headers, type: undefined });
assert.deepEqual(changed, { id: pet.id, name: 'swagger', categoryId: 3 });
const refused = await api.pets.getPet(999_999).catch(({ error }: { error: StoreError }) => error);
assert.equal('code' in refused && refused.code, 'pet_not_found');
