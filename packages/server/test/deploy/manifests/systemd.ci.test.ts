import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readConfig } from '../../../../service/src/config/config.ts';
import { leaveOut } from '../../../../testing/src/left-out.ts';
import { root } from '../../../../tooling/src/project.ts';

const unit = readFileSync(join(root, 'deploy/systemd/animal-store.service'), 'utf8');
const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];

test('runs the command of npm start, without npm, which does not forward signals', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const options = scripts.start.match(/--\S+/g);
  expect(options).toHaveLength(2);
  expect(setting('ExecStart')).toContain(`node ${options.join(' ')} packages/server/src/main.ts`);
});

test('starts again whenever the server ends, and waits longer for a stop than the server drains', () => {
  const { drainDelay, drainDeadline } = readConfig({ NODE_ENV: 'production', DATABASE_URL: 'sqlite:x.db' });
  expect([setting('Restart'), setting('StartLimitIntervalSec'), setting('KillMode')]).toEqual(['always', '0', 'mixed']);
  expect(Number(setting('TimeoutStopSec')) * 1_000).toBeGreaterThan(drainDelay + drainDeadline);
});

const version = spawnSync('systemd-analyze', ['--version']);
if (version.status !== 0) leaveOut('the systemd unit', 'install systemd, which has systemd-analyze');

(version.status === 0 ? test : test.skip)('is valid for systemd', () => {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-systemd-'));
  try {
    // The user does not exist on this machine.
    const file = join(folder, 'animal-store.service');
    writeFileSync(file, unit.replaceAll(/^(User|Group)=.*$/gm, '$1=root'));
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    const found = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('animal-store.service'));
    expect(found).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
