import { spawnSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyWorkspace } from '../testing/workspace-copy.ts';

export type Result = { status: number | null; stdout: string; stderr: string };

/** A copy of the project in a repository of its own, in which nothing was released yet. */
export type Sandbox = {
  folder: string;
  read: (file: string) => string;
  /** Changes a file of the copy; throws when nothing in it fits. */
  replace: (file: string, before: string | RegExp, after: string) => void;
  append: (file: string, text: string) => void;
  commit: (message: string) => void;
  git: (...parameters: string[]) => string;
  release: (...options: string[]) => Result;
  remove: () => void;
};

export function releaseSandbox(version: string): Sandbox {
  const { folder, remove } = copyWorkspace();
  const path = (file: string) => join(folder, file);
  const read = (file: string) => readFileSync(path(file), 'utf8');

  function run(command: string, ...parameters: string[]): Result {
    return spawnSync(command, parameters, { cwd: folder, encoding: 'utf8' });
  }

  function git(...parameters: string[]): string {
    const identity = ['-c', 'user.name=Tester', '-c', 'user.email=tester@animal-store.example'];
    const { status, stdout, stderr } = run('git', ...identity, ...parameters);
    if (status !== 0) throw new Error(`git ${parameters.join(' ')}: ${stderr}`);
    return stdout.trimEnd();
  }

  function replace(file: string, before: string | RegExp, after: string): void {
    const text = read(file);
    const changed = text.replace(before, after);
    if (changed === text) throw new Error(`${file} has nothing like ${before}.`);
    writeFileSync(path(file), changed);
  }

  function commit(message: string): void {
    git('add', '--all');
    git('commit', '--quiet', '--message', message);
  }

  forgetReleases(folder, version);
  git('init', '--quiet', '--initial-branch', 'main');
  git('config', 'user.name', 'Tester');
  git('config', 'user.email', 'tester@animal-store.example');
  for (const what of ['commit', 'tag']) git('config', `${what}.gpgSign`, 'false');
  // Here they are links, which the pattern for folders in .gitignore does not mean.
  appendFileSync(path('.git/info/exclude'), 'node_modules\n');
  commit('Start');

  return {
    folder,
    read,
    replace,
    append: (file, text) => appendFileSync(path(file), text),
    commit,
    git,
    release: (...options) => run(process.execPath, 'scripts/release.ts', ...options),
    remove,
  };
}

function forgetReleases(folder: string, version: string): void {
  const old = ['releases', '.changeset'].flatMap((place) =>
    readdirSync(join(folder, place))
      .filter((file) => /^openapi-.*\.yaml$|^exceptions\.yaml$|(?<!README)\.md$/.test(file))
      .map((file) => join(folder, place, file)),
  );
  const packages = ['contract', 'client', 'server'].map((name) => join(folder, 'packages', name));
  const changelogs = [folder, ...packages].map((place) => join(place, 'CHANGELOG.md'));
  for (const file of [...old, ...changelogs]) rmSync(file, { force: true });
  for (const place of [folder, ...packages]) {
    const manifest = join(place, 'package.json');
    const text = readFileSync(manifest, 'utf8').replace(/"version": "[^"]+"/, `"version": "${version}"`);
    writeFileSync(manifest, text);
  }
}
