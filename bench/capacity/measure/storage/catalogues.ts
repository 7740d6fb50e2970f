import type { TestPostgres } from '../../../../packages/server/test/postgres/server.ts';
import type { Catalogue } from '../../../pages/catalogues.ts';
import type { CatalogueCost } from '../../run.ts';
import type { EngineProcessor } from '../engines.ts';
import { measureReads } from './calls.ts';
import { sizesOf } from './sizes.ts';

/** What catalogues of several sizes take on disk, and what reading in them costs. */
export async function measureCatalogues(
  catalogues: readonly Catalogue[],
  postgres: TestPostgres,
  engine: EngineProcessor,
  rounds: number,
): Promise<CatalogueCost[]> {
  const costs: CatalogueCost[] = [];
  for (const catalogue of catalogues) {
    costs.push({
      engine: catalogue.engine,
      animals: catalogue.animals,
      ...(await sizesOf(catalogue, postgres)),
      ...(await measureReads(catalogue, rounds, catalogue.engine === 'PostgreSQL' ? engine : undefined)),
    });
  }
  return costs;
}
