import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../testing/child.ts';
import { stepsOfSection, stepsUnder, triedSections } from './operate-steps.ts';
import { addAnimals, createWorkspace } from './workspace.ts';

test('the tests in this folder run every step of docs/operate.md', () => {
  expect(triedSections.map((heading) => stepsOfSection(heading).length)).toEqual([4, 4, 3]);
});

describe('the embedded database, as in docs/operate.md', () => {
  const [backup = '', restore = ''] = stepsUnder('The embedded database');

  test('is backed up while animals are added, and restored after it is destroyed', async () => {
    await using place = createWorkspace();
    const server = await place.start();
    const key = await place.createKey();
    const { acknowledged, stop } = await addAnimals(server, key);
    const before = acknowledged.length;
    expect(await place.run(backup)).toMatch(/\d rows/);
    const after = acknowledged.length;
    await stop();
    server.kill('SIGKILL');
    await server.ended;
    writeFileSync(join(place.folder, 'data/animal-store.db'), 'ruined');

    await place.run(restore);
    const restored = await place.start();
    const names = await restored.names(key);
    expect(names).toEqual(acknowledged.slice(0, names.length));
    expect(names.length).toBeGreaterThanOrEqual(Math.min(before, 100));
    expect(names.length).toBeLessThanOrEqual(after + 1);
    expect((await restored.add(key, 'after the restore')).status).toBe(201);
    expect(existsSync(join(place.folder, 'data/broken/animal-store.db'))).toBe(true);
  });
});

describe('API keys, as in docs/operate.md', () => {
  const [rotate = '', revoke = ''] = stepsUnder('Changing keys and passwords');

  test('are rotated with an overlap, and replaced at once after a leak, while the server runs', async () => {
    await using place = createWorkspace();
    const server = await place.start();
    const old = await place.createKey();
    const [{ id }] = JSON.parse(await place.run('npm run --silent keys -- list --json'));
    const printed = await place.run(rotate, { KEY_ID: id });
    const [fresh = ''] = /as_live_\w+/.exec(printed) ?? [];
    expect(printed).toContain('until');
    for (const secret of [old, fresh]) expect(await server.statusFor(secret)).toBe(200);

    const [replacement = ''] = /as_live_\w+/.exec(await place.run(revoke, { KEY_ID: id })) ?? [];
    expect(await server.statusFor(replacement)).toBe(200);
    for (const secret of [old, fresh]) {
      await eventually(
        async () => (await server.statusFor(secret)) === 401,
        () => 'A revoked key still works.',
      );
    }
  });
});
