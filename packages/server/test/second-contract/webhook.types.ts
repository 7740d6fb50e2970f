/** Type test: the types of webhooks are exported. */
import type { webhooks } from './api-contract.ts';

export function titleOf(note: webhooks['noteCreated']['post']['requestBody']['content']['application/json']): string {
  return note.title;
}
