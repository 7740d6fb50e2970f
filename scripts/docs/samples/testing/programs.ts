import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../../root.ts';
import { leaveOut } from '../../../testing/left-out.ts';
import { classNameOf } from '../java.ts';
import type { CodeSample, SampleLanguage } from '../samples.ts';

/** `folder` is the folder in which it ran, with the files that it wrote. */
export type Outcome = { exitCode: number | null; stdout: string; stderr: string; folder: string };

/** The surroundings in which a sample runs. */
export type Surroundings = {
  id: string;
  folder: string;
  baseUrl: string;
  /** The server that stands in for `baseUrl`. */
  url: string;
  /** Environment variables that the reader sets, ANIMAL_STORE_KEY among them. */
  variables: Record<string, string>;
  /** A file that the reader has. */
  file?: { name: string; content: Uint8Array } | undefined;
};

type Program = {
  file: (id: string) => string;
  /** The program and its options; the file follows. */
  command: readonly [program: string, ...options: string[]];
  needs: string;
  isThere: () => boolean;
};

/** The system's own has what its package manager installed; another one may stand before it on the PATH. */
const python = ['python3', '/usr/bin/python3'].find((program) => runs(program, '-c', 'import requests'));

/** How a partner runs the samples of a language, and what the machine needs for that. */
export const programs: Record<SampleLanguage, Program> = {
  curl: {
    file: () => 'sample.sh',
    command: ['sh'],
    needs: 'install curl (apt-get install curl)',
    isThere: () => runs('curl', '--version'),
  },
  typescript: { file: () => 'sample.ts', command: [process.execPath], needs: 'nothing', isThere: () => true },
  python: {
    file: () => 'sample.py',
    command: [python ?? 'python3'],
    needs: 'install Python and requests (apt-get install python3-requests)',
    isThere: () => python !== undefined,
  },
  java: {
    file: (id) => `${classNameOf(id)}.java`,
    // The same program, started in less time: it ends before it could be worth optimising.
    command: ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'],
    needs: 'install a JDK from version 17 on (apt-get install default-jdk-headless)',
    isThere: () => runs('javac', '--version'),
  },
};

/** The languages whose samples can be run here; what is missing for the others is noted as left out. */
export function runnableLanguages(): SampleLanguage[] {
  return (['curl', 'typescript', 'python', 'java'] as const).filter((language) => {
    const { isThere, needs } = programs[language];
    const found = isThere();
    if (!found) leaveOut(`running the ${language} samples`, needs);
    return found;
  });
}

/** A folder in which the client, or its replacement, can be imported, as after `npm install @animal-store/client`. */
export function partnersFolder(client = join(root, 'packages/client')): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-samples-'));
  mkdirSync(join(folder, 'node_modules/@animal-store'), { recursive: true });
  symlinkSync(client, join(folder, 'node_modules/@animal-store/client'));
  symlinkSync(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

/** Runs a sample as it stands but for its server: `baseUrl` is replaced by another one. */
export async function runSample(
  { lang, source }: CodeSample,
  { id, folder: parent, baseUrl, url, variables, file: given }: Surroundings,
): Promise<Outcome> {
  const { file, command } = programs[lang];
  const [program, ...options] = command;
  const folder = mkdtempSync(join(parent, `${id}-`));
  const path = join(folder, file(id));
  writeFileSync(path, source.replaceAll(baseUrl, url));
  if (given !== undefined) writeFileSync(join(folder, given.name), given.content);
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(program, [...options, path], {
    // The client is the same in every run: what was compiled once is not compiled again.
    env: { PATH, HOME, LC_ALL: 'C.UTF-8', ...variables, NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile') },
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    new Promise<number | null>((ended, failed) => child.once('close', ended).once('error', failed)),
  ]);
  return { exitCode, stdout, stderr, folder };
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function runs(command: string, ...parameters: string[]): boolean {
  return spawnSync(command, parameters).status === 0;
}
