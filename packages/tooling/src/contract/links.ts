import { entriesOf } from '../common/json.ts';
import type { PlacedOperation } from './document.ts';

/** The name under which an operation takes the `id` of what another one creates, by the `links` of its response; undefined without one. */
export function linkedName({ responses }: PlacedOperation, operationId: string): string | undefined {
  const links = responses.flatMap(({ links, headers }) => (headers?.['Location'] ? Object.values(links ?? {}) : []));
  const link = links.find((one) => one.operationId === operationId);
  const passed = entriesOf({ ...link?.parameters, ...link?.requestBody });
  return passed.find(([name, value]) => /^\w+$/.test(name) && value === '$response.body#/id')?.[0];
}
