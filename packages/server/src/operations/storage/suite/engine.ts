import { afterEach } from '@jest/globals';
import { openStorage, type Storage } from '../index.ts';

/** An engine under test. */
export type Engine = {
  /** The URL of a new, empty database. Durable engines show the same data whenever it is opened. */
  freshUrl: () => string | Promise<string>;
  /**
   * Whether its transactions run one after another, in the order of their start. Otherwise they run concurrently, and
   * wait for each other only if they use the same rows.
   */
  isSerial: boolean;
};

/** Opens storages and closes them after each test. */
export function opener(engine: Engine): (url?: string) => Promise<Storage> {
  const opened: Storage[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((storage) => storage.close()));
  });
  return async (url) => {
    const storage = await openStorage(url ?? (await engine.freshUrl()));
    opened.push(storage);
    return storage;
  };
}

/** A promise with the function that resolves it. */
export function gate(): { opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}

/** All pets. */
export function allPets(storage: Storage) {
  return storage.reader.listPets({ limit: 1_000_000 });
}
