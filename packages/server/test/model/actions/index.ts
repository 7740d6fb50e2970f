import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { operationIds } from '../../contract.ts';
import type { OperationAction } from './action.ts';

/** The action of each operation, from the file with its name. */
export const operationActions: ReadonlyMap<string, OperationAction> = new Map(
  await Promise.all(
    operationIds()
      .filter((id) => existsSync(fileOf(id)))
      .map(async (id) => [id, await load(id)] as const),
  ),
);

/** One sentence for each operation of the contract that the model does not know. */
export function unknownOperations(ids: readonly string[] = operationIds()): string[] {
  return ids
    .filter((id) => !operationActions.has(id))
    .map((id) => `The model has no action for ${id}: write packages/server/test/model/actions/${id}.ts.`);
}

async function load(id: string): Promise<OperationAction> {
  const file: { action?: OperationAction } = await import(`./${id}.ts`);
  if (file.action === undefined) throw new Error(`${fileOf(id)} exports no "action".`);
  return file.action;
}

function fileOf(id: string): string {
  return join(import.meta.dirname, `${id}.ts`);
}
