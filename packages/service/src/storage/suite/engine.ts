import { afterEach } from '@jest/globals';
import { openNotes, type Storage } from './notes.ts';

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
export function openerOf<Opened extends { close: () => Promise<void> }>(
  openUrl: (url: string) => Promise<Opened>,
  engine: Engine,
): (url?: string) => Promise<Opened> {
  const opened: Opened[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((storage) => storage.close()));
  });
  return async (url) => {
    const storage = await openUrl(url ?? (await engine.freshUrl()));
    opened.push(storage);
    return storage;
  };
}

/** Opens storages with notes, and closes them after each test. */
export function opener(engine: Engine): (url?: string) => Promise<Storage> {
  return openerOf(openNotes, engine);
}

/** A promise with the function that resolves it. */
export function gate(): { opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}

export function allNotes(storage: Storage) {
  return storage.reader.listNotes();
}
