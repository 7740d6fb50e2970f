import { spawnSync } from 'node:child_process';
import { root } from '../root.ts';

/** The files that git does not know as they are, as `git status --short` lists them. */
export function uncommittedFiles(): string[] {
  return git('status', '--short').split('\n').filter(Boolean);
}

export function hasTag(tag: string): boolean {
  return git('tag', '--list', tag) !== '';
}

/** The first line of the last commit's message. */
export function lastSubject(): string {
  return git('log', '-1', '--format=%s');
}

export function currentBranch(): string {
  return git('branch', '--show-current');
}

export function commitAll(message: string): void {
  git('add', '--all');
  git('commit', '--quiet', '--message', message);
}

export function addTag(tag: string, message: string): void {
  git('tag', '--annotate', tag, '--message', message);
}

function git(...parameters: string[]): string {
  const { status, stdout, stderr, error } = spawnSync('git', parameters, { cwd: root, encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`git ${parameters[0]} failed: ${stderr.trim()}`);
  return stdout.trimEnd();
}
