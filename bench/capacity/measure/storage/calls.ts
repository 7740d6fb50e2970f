import type { Storage } from '../../../../packages/server/src/operations/storage/index.ts';
import { seededRandom } from '../../../../scripts/testing/seeded-random.ts';
import { spreadOf } from '../../../figures/statistics.ts';
import type { Catalogue } from '../../../pages/catalogues.ts';
import { measureRound, PAGES } from '../../../pages/measure.ts';
import type { Reading, StorageCost, WriteCost } from '../../run.ts';
import type { EngineProcessor } from '../engines.ts';
import { inTurns, type Work } from '../rounds.ts';

/** Rounds of `measureRound` that are one of these: the processor's time is counted in whole microseconds. */
const BLOCKS = 4;

/** Creations that are under way at once, where they are to share commits. */
const AT_ONCE = 100;

/** Keys whose usage is written down in one go. */
const USAGE_ROWS = 1_000;

/** What reading costs in a catalogue: pages by status at three places, and one animal by its id. */
export async function measureReads(
  catalogue: Catalogue,
  rounds: number,
  engine: EngineProcessor | undefined,
): Promise<Record<Reading, StorageCost>> {
  const random = seededRandom(1);
  const pages = (place: Parameters<typeof measureRound>[1]): Work => ({
    calls: PAGES * BLOCKS,
    async run() {
      for (let block = 0; block < BLOCKS; block += 1) await measureRound(catalogue, place, random);
    },
  });
  const oneAnimal: Work = {
    calls: PAGES * BLOCKS,
    async run() {
      for (let call = 0; call < PAGES * BLOCKS; call += 1) {
        const id = 1 + Math.floor(random() * catalogue.animals);
        if ((await catalogue.storage.reader.findPet(id)) === undefined) throw new Error(`There is no animal ${id}.`);
      }
    },
  };
  const [firstPage, deepPage, anyPage] = [
    pages('first page'),
    pages('deep page, read on'),
    pages('deep page, anywhere'),
  ];
  const costOf = await measureStorage([firstPage, deepPage, anyPage, oneAnimal], rounds, engine);
  return {
    firstPage: costOf(firstPage),
    deepPage: costOf(deepPage),
    anyPage: costOf(anyPage),
    oneAnimal: costOf(oneAnimal),
  };
}

/** What a creation costs with a commit of its own, and among others that are under way at the same time; and usage. */
export async function measureWrites(
  storage: Storage,
  rounds: number,
  engine: EngineProcessor | undefined,
): Promise<WriteCost> {
  const add = () => storage.transaction((transaction) => transaction.addPet({ name: 'Rex', categoryId: 1 }));
  const alone: Work = {
    calls: AT_ONCE,
    async run() {
      for (let call = 0; call < AT_ONCE; call += 1) await add();
    },
  };
  const together: Work = {
    calls: AT_ONCE * BLOCKS,
    async run() {
      for (let block = 0; block < BLOCKS; block += 1) await Promise.all(Array.from({ length: AT_ONCE }, add));
    },
  };
  const used = { minute: 0, minuteUsed: 1, day: 0, dayUsed: 1, bans: 0, bannedUntil: 0 };
  const records = Array.from({ length: USAGE_ROWS }, (_, index) => ({ keyId: `key_${index}`, ...used }));
  const usageRow: Work = { calls: USAGE_ROWS, run: () => storage.usage.save(records) };
  const costOf = await measureStorage([alone, together, usageRow], rounds, engine);
  return { alone: costOf(alone), together: costOf(together), usageRow: costOf(usageRow), atOnce: AT_ONCE };
}

/** What each work costs: until it is done, of this process, and of the engine where it has processes of its own. */
async function measureStorage(
  works: readonly Work[],
  rounds: number,
  engine: EngineProcessor = async () => Number.NaN,
): Promise<(work: Work) => StorageCost> {
  const found = await inTurns(works, rounds, async ({ calls, run }) => {
    const engineBefore = await engine();
    const before = process.cpuUsage();
    const startedAt = performance.now();
    await run();
    const wall = ((performance.now() - startedAt) * 1_000) / calls;
    const { user, system } = process.cpuUsage(before);
    return { wall, processor: (user + system) / calls, engine: ((await engine()) - engineBefore) / calls };
  });
  return (work) => {
    const rows = found(work);
    const inEngine = spreadOf(rows.map((row) => row.engine));
    const cost = { wall: spreadOf(rows.map((row) => row.wall)), processor: spreadOf(rows.map((row) => row.processor)) };
    return Number.isNaN(inEngine.median) ? cost : { ...cost, engine: inEngine };
  };
}
