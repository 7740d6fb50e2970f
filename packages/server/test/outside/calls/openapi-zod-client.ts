import assert from 'node:assert/strict';
import { isErrorFromAlias } from '@zodios/core';
import { createApiClient, api as description } from './generated/api';

const { BASE_URL = '', API_KEY = '' } = process.env;
const api = createApiClient(BASE_URL, {
  // Zodios sends requests with Axios, which by default writes lists as ID[]=1.
  axiosConfig: { headers: { Authorization: `Bearer ${API_KEY}` }, paramsSerializer: { indexes: null } },
});

const pet = await api.createPet({ name: 'zodios', categoryId: 3, status: 'available' });
const pets = await api.listPets({ queries: { id: [pet.id, 999_999] } });
assert.deepEqual(pets, [{ id: pet.id, name: 'zodios', categoryId: 3, status: 'available' }]);
const headers = { 'If-Match': '*', 'Content-Type': 'application/merge-patch+json' };
const changed = await api.updatePet({ status: null }, { params: { petId: pet.id }, headers });
assert.deepEqual(changed, { id: pet.id, name: 'zodios', categoryId: 3 });
const error: unknown = await api.getPet({ params: { petId: 999_999 } }).catch((reason: unknown) => reason);
assert.ok(isErrorFromAlias(description.api, 'getPet', error));
assert.ok(error.response.status === 404);
assert.equal(error.response.data.code, 'pet_not_found');
