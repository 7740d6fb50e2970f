// Without @types/node: the client does not need it either.
declare const process: { env: Record<string, string | undefined> };

export const { ANIMAL_STORE_KEY: apiKey = '', ANIMAL_STORE_URL: baseUrl = '' } = process.env;
