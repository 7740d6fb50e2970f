import assert from 'node:assert/strict';
import { CreatePetBody, ListPetsResponse, UpdatePetBody } from './generated/zod';

const { BASE_URL = '', API_KEY = '' } = process.env;
const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };

const pet = CreatePetBody.parse({ name: 'orval with Zod', categoryId: 3 });
const created = await fetch(`${BASE_URL}/pets`, { method: 'POST', headers, body: JSON.stringify(pet) });
assert.equal(created.status, 201);
const page: unknown = await (await fetch(`${BASE_URL}/pets?limit=100`, { headers })).json();
const pets = ListPetsResponse.parse(page);
assert.ok(pets.some(({ name }) => name === 'orval with Zod'));
assert.deepEqual(UpdatePetBody.parse({ status: null }), { status: null });
assert.equal(CreatePetBody.safeParse({ name: '', categoryId: 3 }).success, false);
assert.equal(ListPetsResponse.safeParse([{ id: 0, name: 'Rex', categoryId: 3 }]).success, false);
