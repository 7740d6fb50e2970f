/** Adds an animal and lists what is available. Needs a running server: `npm start`, then `npm run example`. */
import { readFileSync } from 'node:fs';
import { createAnimalStore } from '@animal-store/client';

const store = createAnimalStore({
  apiKey: process.env['ANIMAL_STORE_KEY'] ?? readFileSync('data/animal-store.development-key', 'utf8').trim(),
  baseUrl: process.env['ANIMAL_STORE_URL'] ?? 'http://127.0.0.1:3000/v1',
});

await store.pets.create({ body: { name: 'Rex', categoryId: 3, status: 'available' } });
for await (const pet of store.pets.list({ status: 'available' })) console.log(pet.id, pet.name);
