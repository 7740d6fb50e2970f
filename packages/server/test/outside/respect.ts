import { randomUUID } from 'node:crypto';
import { respect } from '../../../tooling/test/workflows/respect.ts';
import type { Check } from './tools.ts';

/** Redocly runs the workflows of the docs, and compares each response with the contract. */
export const respectCheck: Check = {
  packages: ['@redocly/cli'],
  run: async ({ url, key }) => {
    const inputs = { apiKey: key, idempotencyKey: randomUUID(), petId: 1, limit: 2 };
    const names = ['first-animal', 'replace-get-pet'];
    const { exitCode, output, steps } = await respect({ names, url, inputs });
    if (exitCode !== 0) throw new Error(output);
    return `The ${steps.length} steps of ${names.length} workflows succeed.`;
  },
};
