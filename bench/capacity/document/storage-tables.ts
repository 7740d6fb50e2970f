import { table } from '../../../scripts/docs/facts/words.ts';
import { bytesAt, catalogueAt, cataloguesOf, readingAt } from '../model/costs.ts';
import type { CapacityRun, Engine, StorageCost } from '../run.ts';
import { bytes, count, figures, spread } from './cells.ts';

const engines = ['SQLite', 'PostgreSQL'] as const satisfies Engine[];

/** What reading costs by size: the processor's time, and for PostgreSQL that of its own processes. */
export function catalogueTable(run: CapacityRun): string {
  const rows = engines.flatMap((engine) =>
    cataloguesOf(run, engine).map((one) => [
      engine,
      count(one.animals),
      ...[one.firstPage, one.deepPage, one.anyPage, one.oneAnimal].map(costCell),
      figures((one.tableBytes + one.indexBytes) / one.animals),
      bytes(one.tableBytes + one.indexBytes),
      one.levels === undefined ? '' : String(one.levels),
    ]),
  );
  return table(
    [
      'engine',
      'animals',
      'first page',
      'deep page, read on',
      'deep page, anywhere',
      'one animal',
      'bytes an animal',
      'on disk',
      'levels of the index',
    ],
    rows,
  );
}

/** What writing costs: until it is on disk, the server's processor, PostgreSQL's. */
export function writeTable(run: CapacityRun): string {
  const rows = engines.flatMap((engine) => {
    const { alone, together, atOnce, usageRow } = run.writes[engine];
    const row = (what: string, { wall, processor, engine: inEngine }: StorageCost) => [
      engine,
      what,
      spread(wall),
      spread(processor),
      inEngine === undefined ? '' : spread(inEngine),
      figures(1_000_000 / wall.median),
    ];
    return [
      row('a creation alone', alone),
      row(`a creation, ${atOnce} at once`, together),
      row('usage of a key, 1,000 at once', usageRow),
    ];
  });
  return table(['engine', 'what', 'µs until done', 'server, µs', 'engine, µs', 'per second'], rows);
}

/** The largest size that was measured, and what follows from it for ten times as many animals. */
export function extrapolationTable(run: CapacityRun): string {
  const rows = engines.flatMap((engine) => {
    const largest = catalogueAt(run, engine, -1);
    return [largest.animals, 100_000_000].map((animals) => [
      engine,
      `${count(animals)}${animals === largest.animals ? ', measured' : ', computed'}`,
      figures(readingAt(run, engine, 'firstPage', animals)),
      figures(readingAt(run, engine, 'anyPage', animals)),
      figures(readingAt(run, engine, 'oneAnimal', animals)),
      bytes(bytesAt(run, engine, animals)),
    ]);
  });
  return table(['engine', 'animals', 'first page, µs', 'page anywhere, µs', 'one animal, µs', 'on disk'], rows);
}

function costCell({ processor, engine }: StorageCost): string {
  return engine === undefined
    ? `${figures(processor.median)} µs`
    : `${figures(processor.median)} + ${figures(engine.median)} µs`;
}
