import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Impact } from '../diff/change.ts';
import { entriesOf } from '../lint/redocly.ts';

/** One file of .changeset/: which packages a change is for, how large it is to them, and what to tell their users. */
export type Changeset = { file: string; bumps: Record<string, Impact>; text: string };

const impacts: readonly string[] = ['major', 'minor', 'patch'] satisfies Impact[];

/** The changes that wait for a release. Throws where a file is not in the form of changesets. */
export function readChangesets(folder: string): Changeset[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith('.md') && file !== 'README.md');
  return files.sort().map((file) => {
    const [, head = '', text = ''] = /^---\n(.*?)\n?---\n(.*)$/s.exec(readFileSync(join(folder, file), 'utf8')) ?? [];
    const bumps = Object.fromEntries(entriesOf(parse(head)).filter(isBump));
    if (Object.keys(bumps).length === 0) throw new Error(`.changeset/${file} names no package and no bump.`);
    return { file, bumps, text: text.trim() };
  });
}

/** Adds the changeset that lifts all packages, which have one number, to that of the contract. */
export function writeContractChangeset(folder: string, version: string, bump: Impact, text: string): void {
  const name = `contract-${version}.md`;
  writeFileSync(join(folder, name), `---\n'@animal-store/contract': ${bump}\n---\n\n${text}\n`);
}

function isBump(entry: [string, unknown]): entry is [string, Impact] {
  return impacts.includes(String(entry[1]));
}
