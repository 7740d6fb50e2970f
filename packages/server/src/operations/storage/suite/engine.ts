import { type Engine, openerOf } from '../../../../../service/src/storage/suite/engine.ts';
import { openStorage, type Storage } from '../index.ts';

export { type Engine, gate } from '../../../../../service/src/storage/suite/engine.ts';

/** Opens storages and closes them after each test. */
export function opener(engine: Engine): (url?: string) => Promise<Storage> {
  return openerOf(openStorage, engine);
}

/** All pets. */
export function allPets(storage: Storage) {
  return storage.reader.listPets({ limit: 1_000_000 });
}
