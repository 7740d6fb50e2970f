import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ContractDocument, operationsOf } from '../packages/tooling/src/contract/document.ts';
import { root } from '../packages/tooling/src/project.ts';
import { installedCheckout } from '../packages/tooling/test/checkout.ts';
import { encodeRequest, inTurn, runLoad } from './load.ts';
import type { MeasureOptions } from './measure.ts';
import { createKey, startServer } from './server.ts';

/** The operations that are added to the contract are copies of this one. */
const MODEL = 'getOrder';

type Added = { id: string; path: string; response: { status: number; body: unknown } };

/**
 * Adds operations to the contract of a copy of the project, and measures the last against the first, in alternating
 * rounds. Returns the rate of the last divided by that of the first, for each round.
 * @param count the number of operations in the whole contract
 */
export async function measureGrowth(
  count: number,
  { rounds, seconds, connections, cores, folder, log }: Omit<MeasureOptions, 'engine' | 'workloads'>,
): Promise<number[]> {
  log(`a contract with ${count} operations`);
  const { folder: project, remove } = installedCheckout();
  try {
    const added = growProject(project, count);
    const options = { project, data: join(folder, 'growth') };
    const key = createKey(options);
    const server = await startServer(options, cores?.server);
    try {
      const rateOf = async (operation: Added | undefined) => {
        const bytes = encodeRequest('GET', `/v1${operation?.path.replace('{orderId}', '1')}`, key);
        const { rate } = await runLoad(server.port, inTurn([{ bytes, status: 200 }]), { seconds, connections });
        return rate;
      };
      const [first, last] = [added.at(0), added.at(-1)];
      const ratios: number[] = [];
      // The first two rounds are a warm-up. The order is reversed in every other round.
      for (let round = -2; round < rounds; round += 1) {
        const earlier = await rateOf(round % 2 === 0 ? first : last);
        const later = await rateOf(round % 2 === 0 ? last : first);
        if (round >= 0) ratios.push(round % 2 === 0 ? later / earlier : earlier / later);
      }
      return ratios;
    } finally {
      await server.stop();
    }
  } finally {
    remove();
  }
}

/** Adds operations to the copy in a folder, and generates its code. */
function growProject(folder: string, count: number): Added[] {
  const document: ContractDocument = JSON.parse(
    readFileSync(join(root, 'packages/contract/src/generated/openapi.json'), 'utf8'),
  );
  const model = operationsOf(document).find(({ operation }) => operation.operationId === MODEL)?.operation;
  if (model === undefined) throw new Error(`The contract has no operation ${MODEL}.`);
  const [example] = Object.values(model.responses['200']?.content?.['application/json']?.examples ?? {});
  const added = Array.from({ length: Math.max(2, count - operationsOf(document).length) }, (_, index): Added => {
    const [id, path] = [`${MODEL}${index}`, `/group-${index}/orders/{orderId}`];
    document.paths[path] = { get: { ...model, operationId: id } };
    return { id, path, response: { status: 200, body: example?.value } };
  });
  // JSON is valid YAML.
  writeFileSync(join(folder, 'openapi.yaml'), JSON.stringify(document, null, 2));
  const operations = join(folder, 'packages/server/src/operations');
  const entries = added.map(({ id, response }) => `  ${id}: async () => (${JSON.stringify(response)}),\n`);
  writeFileSync(join(operations, 'added.ts'), `export const added = {\n${entries.join('')}};\n`);
  const index = join(operations, 'index.ts');
  const start = 'export const operations: Operations = {\n';
  const own = readFileSync(index, 'utf8');
  writeFileSync(index, `import { added } from './added.ts';\n${own.replace(start, `${start}  ...added,\n`)}`);
  execFileSync(process.execPath, ['packages/tooling/src/commands/generate.ts'], { cwd: folder, stdio: 'pipe' });
  return added;
}
