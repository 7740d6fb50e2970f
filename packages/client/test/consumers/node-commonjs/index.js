const { ApiError, createAnimalStore, unwrap } = require('@animal-store/client');

async function main({ ANIMAL_STORE_KEY: apiKey, ANIMAL_STORE_URL: baseUrl }) {
  const store = createAnimalStore({ apiKey, baseUrl });
  const added = await unwrap(store.POST('/pets', { body: { name: 'Bella', categoryId: 3 } }));
  let isListed = false;
  for await (const page of store.pets.list().pages()) isListed ||= page.some(({ id }) => id === added.id);
  const { error, response } = await store.GET('/store/orders/{orderId}', { params: { path: { orderId: 1 } } });
  const isOurs = new ApiError({ ...error, status: response.status }) instanceof Error;
  console.log(JSON.stringify({ added: added.name, isListed, refusal: isOurs && error.code }));
}

main(process.env);
