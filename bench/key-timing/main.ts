/**
 * Can a caller tell a revoked or expired key from one that never was by how long the answer takes? Verifies keys of each
 * kind in turns, on a database file, and prints the times.
 *
 *   npm run bench:key-timing
 *   npm run bench:key-timing -- --rounds 20000
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mintSecret } from '../../packages/server/src/keys/key-format.ts';
import { createKeyRing } from '../../packages/server/src/keys/key-ring.ts';
import { openStorage } from '../../packages/server/src/operations/storage/index.ts';
import { ratiosOf, spreadOf } from '../figures/statistics.ts';

const KEYS = 1_000;
const WARM_UP = 1_000;

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '20000' } } });
const rounds = Number(options.rounds);
const folder = mkdtempSync(join(tmpdir(), 'animal-store-bench-'));
const storage = await openStorage(`sqlite:${join(folder, 'bench.db')}`);
const now = Date.now();
const keys = createKeyRing(storage.keys, () => now);

try {
  for (let count = 0; count < KEYS; count += 1) await keys.create({ plan: 'free', mode: 'live' });
  const revoked = await keys.create({ plan: 'free', mode: 'live' });
  await keys.revoke(revoked.key.id);
  const expired = await keys.create({ plan: 'free', mode: 'live', expiresIn: 1 });
  const secrets = { unknown: mintSecret('live', randomBytes), revoked: revoked.secret, expired: expired.secret };
  const times = await measure(Object.entries(secrets));
  const unknown = times.get('unknown') ?? [];
  console.log(`microseconds to verify a key, ${rounds} rounds, ${KEYS} keys\n`);
  console.log('| key | median | middle half | beside unknown |\n|---|---|---|---|');
  for (const [kind, values] of times) {
    const { median, low, high } = spreadOf(values);
    const ratio = spreadOf(ratiosOf(values, unknown)).median;
    console.log(`| ${kind} | ${median.toFixed(1)} | ${low.toFixed(1)} to ${high.toFixed(1)} | ${ratio.toFixed(3)} |`);
  }
} finally {
  await storage.close();
  rmSync(folder, { recursive: true });
}

/** Microseconds of each verification, by kind; the kinds take turns, in another order each round. */
async function measure(secrets: [kind: string, secret: string][]): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>(secrets.map(([kind]) => [kind, []]));
  for (let round = -WARM_UP; round < rounds; round += 1) {
    const first = Math.abs(round) % secrets.length;
    for (const [kind, secret] of [...secrets.slice(first), ...secrets.slice(0, first)]) {
      const start = performance.now();
      await keys.verify(secret, now + 2);
      if (round >= 0) times.get(kind)?.push((performance.now() - start) * 1_000);
    }
  }
  return times;
}
