/**
 * Builds the image of the Dockerfile without a container engine: a folder replaces the /app of each stage, COPY copies
 * the files that .dockerignore does not exclude, and RUN uses this Node.js instead of that of the base image.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { root } from '../../../../tooling/src/project.ts';

/** One instruction of a Dockerfile, such as `COPY --from=docs /app/dist/docs dist/docs`. */
type Instruction = { keyword: string; flags: Record<string, string>; text: string };

/** A stage, from its FROM to the next one. */
type Stage = { name: string; base: string; instructions: Instruction[] };

export type BuiltImage = { app: string; remove: () => void };

export type ImageProcess = { child: ChildProcess; output: () => string; ended: Promise<number | null> };

/** Instructions that change no file. */
const metadata = new Set('ENV LABEL WORKDIR USER VOLUME EXPOSE STOPSIGNAL HEALTHCHECK CMD'.split(' '));

/** The user `nobody`, as which the image runs if root runs the tests. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/** The stages of the Dockerfile, and the ARGs before the first FROM. */
export const { defaults, stages } = readDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'));

const lastStage = stages.at(-1)?.instructions ?? [];

/** The text of the last stage's instruction with this keyword; empty without one. */
export function lastText(keyword: string): string {
  return lastStage.findLast((instruction) => instruction.keyword === keyword)?.text ?? '';
}

/** The settings of the image for running it. */
export const imageSettings = {
  user: lastText('USER'),
  environment: Object.fromEntries(
    lastStage
      .filter(({ keyword }) => keyword === 'ENV')
      .flatMap(({ text }) => text.split(/\s+/).map((setting) => splitAt(setting, '='))),
  ),
};

/** Throws if an instruction fails or is not supported here. */
export function buildImage(): BuiltImage {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-image-'));
  const remove = () => {
    execFileSync('chmod', ['-R', 'u+w', folder]);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const stage of stages) buildStage(folder, stage);
    const app = join(folder, stages.at(-1)?.name ?? '');
    seal(folder, app);
    return { app, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Runs a command of the image with its environment. */
export function runInImage({ app }: BuiltImage, command: readonly string[], settings: Record<string, string> = {}) {
  const [program = '', ...parameters] = command;
  const child = spawn(program === 'node' ? nodeOf(app) : program, parameters, {
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    cwd: app,
    env: { ...imageSettings.environment, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (text += bytes));
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  return { child, output: () => text, ended } satisfies ImageProcess;
}

function readDockerfile(content: string): { defaults: Record<string, string>; stages: Stage[] } {
  const defaults: Record<string, string> = {};
  const stages: Stage[] = [];
  const lines = content
    .replace(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  for (const line of lines.filter((text) => text.trim() !== '')) {
    const [, keyword = '', options = '', text = ''] = /^([A-Z]+)((?:\s+--\S+)*)\s+(.*)$/.exec(line) ?? [];
    if (keyword === '') throw new Error(`This line of the Dockerfile is not an instruction: ${line}`);
    if (keyword === 'FROM') {
      const [base = '', , name = ''] = text
        .replaceAll(/\$\{(\w+)\}/g, (_, argument: string) => defaults[argument] ?? '')
        .split(/\s+/);
      stages.push({ name, base, instructions: [] });
    } else if (keyword === 'ARG') {
      Object.assign(defaults, Object.fromEntries([splitAt(text, '=')]));
    } else {
      const flags = [...options.matchAll(/--(\S+)/g)].map(([, flag = '']) => splitAt(flag, '='));
      stages.at(-1)?.instructions.push({ keyword, flags: Object.fromEntries(flags), text });
    }
  }
  return { defaults, stages };
}

function splitAt(text: string, separator: string): [string, string] {
  const [name = '', ...rest] = text.split(separator);
  return [name, rest.join(separator)];
}

function buildStage(folder: string, { name, base, instructions }: Stage): void {
  const app = join(folder, name);
  // A stage starts from an earlier stage, or from an image, whose /app is empty.
  if (base.includes(':')) mkdirSync(app);
  else cpSync(join(folder, base), app, { recursive: true, verbatimSymlinks: true });
  for (const { keyword, flags, text } of instructions) {
    const [target = '', ...sources] = text.split(/\s+/).toReversed();
    if (keyword === 'RUN') runShell(text, app);
    else if (keyword === 'COPY' && flags['from'] !== undefined) {
      const from = join(folder, flags['from']);
      for (const source of sources) copyInto(join(from, source.replace(/^\/app\//, '')), target, app);
    } else if (keyword === 'COPY') for (const source of sources) copyFromContext(source, target, app);
    else if (!metadata.has(keyword)) throw new Error(`${keyword} is not supported here.`);
  }
}

function runShell(command: string, app: string): void {
  const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
  // Packages that are in the store already need not be fetched.
  const env = { ...process.env, npm_config_prefer_offline: 'true', PATH };
  execFileSync('sh', ['-c', command], { cwd: app, env, stdio: 'pipe' });
}

function copyFromContext(source: string, target: string, app: string): void {
  const files = buildContext().filter((file) => source === '.' || file === source || file.startsWith(`${source}/`));
  if (files.length === 0) throw new Error(`COPY ${source}: .dockerignore excludes all of it.`);
  const isFolder = source === '.' || statSync(join(root, source)).isDirectory();
  for (const file of files) {
    const below = source === '.' ? file : file.slice(source.length + 1);
    copyInto(join(root, file), isFolder ? join(target, below) : target, app);
  }
}

/** Copies the content of a folder, or a file: into a folder if the target ends with a slash. */
function copyInto(from: string, target: string, app: string): void {
  const intoFolder = !statSync(from).isDirectory() && (target === './' || target.endsWith('/'));
  const to = join(app, target, intoFolder ? basename(from) : '');
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
}

/** The files that `docker build .` sends from a clean checkout: the repository without what .dockerignore excludes. */
function buildContext(): string[] {
  const patterns = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  const list = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  return files.filter((file) => existsSync(join(root, file)) && !isIgnored(file, patterns));
}

/** The last pattern that matches a file, or a folder around it, decides. */
function isIgnored(file: string, patterns: readonly string[]): boolean {
  const parts = file.split('/');
  const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  const last = patterns.findLast((pattern) => paths.some((path) => matcher(pattern).test(path)));
  return last !== undefined && !last.startsWith('!');
}

/** `*` matches any name, dots included, `**` any number of folders. */
function matcher(pattern: string): RegExp {
  const literal = pattern.replace(/^!/, '').replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  const source = literal.replaceAll(/\*\*\/|\*/g, (found) => (found === '*' ? '[^/]*' : '(?:.*/)?'));
  return new RegExp(`^${source}$`);
}

/** Makes everything except the data read-only, as with a read-only file system and a user who owns nothing else. */
function seal(folder: string, app: string): void {
  copyFileSync(process.execPath, nodeOf(app), constants.COPYFILE_FICLONE);
  execFileSync('chmod', ['755', folder, nodeOf(app)]);
  execFileSync('chmod', ['-R', 'a-w,a+rX', app]);
  const data = join(app, 'data');
  execFileSync('chmod', ['755', data]);
  if (isRoot) chownSync(data, NOBODY, NOBODY);
}

/** Node is outside of /app, as in the base image, and readable for every user. */
function nodeOf(app: string): string {
  return join(dirname(app), 'node');
}
