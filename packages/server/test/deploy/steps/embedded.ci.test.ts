import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../../../testing/src/child.ts';
import { root } from '../../../../tooling/src/project.ts';
import { stepsUnder } from './operate-steps.ts';
import { addAnimals, createWorkspace } from './workspace.ts';

describe('the embedded database, as in docs/operate', () => {
  const [backup = ''] = stepsUnder('sqlite.md', 'Back up', 1);
  const [restore = ''] = stepsUnder('sqlite.md', 'Restore', 1);

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

describe('a database of 1.0.0, as in docs/operate', () => {
  const [migrate = '', rotate = '', goBack = ''] = stepsUnder('upgrades.md', 'Upgrade from 1.0', 3);
  const released = join(root, 'packages/server/test/releases/databases/1.0.0.db');

  test('is backed up and migrated, and its test keys are replaced', async () => {
    await using place = createWorkspace();
    mkdirSync(join(place.folder, 'data'), { recursive: true });
    const database = join(place.folder, 'data/animal-store.db');
    copyFileSync(released, database);
    expect(await place.run(migrate, { OLD: place.folder })).toMatch(/\d rows/);
    const keys: { id: string }[] = JSON.parse(await place.run('npm run --silent keys -- list --json'));
    const { id = '' } = keys.find((key) => JSON.stringify(key).includes('as_test_')) ?? {};
    const [secret = ''] = /as_live_\w+/.exec(await place.run(rotate, { KEY_ID: id })) ?? [];
    const server = await place.start();
    expect(await server.statusFor(secret)).toBe(200);
    server.kill('SIGTERM');
    await server.ended;
    await place.run(goBack, { OLD: place.folder });
    const copy = join(place.folder, 'released.db');
    copyFileSync(released, copy);
    const [restored, original] = [database, copy].map((file) => {
      using opened = new DatabaseSync(file, { readOnly: true });
      return ['migrations', 'keys', 'pets', 'orders'].map((table) => opened.prepare(`SELECT * FROM ${table}`).all());
    });
    expect(restored).toEqual(original);
  });
});

describe('API keys, as in docs/operate', () => {
  const [rotate = ''] = stepsUnder('keys.md', 'Rotate a key', 1);
  const [revoke = ''] = stepsUnder('keys.md', 'Replace a leaked key', 1);
  const [free = ''] = stepsUnder('keys.md', 'Free the animals of a lost key', 1);

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
    // Prints that the key has none on standard error.
    expect(await place.run(free, { KEY_ID: id })).not.toContain('cancelled');
    for (const secret of [old, fresh]) {
      await eventually(
        async () => (await server.statusFor(secret)) === 401,
        () => 'A revoked key still works.',
      );
    }
  });
});
