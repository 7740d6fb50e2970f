import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { root } from '../../root.ts';
import { buildContext } from './context.ts';
import { entriesIn } from './entries.ts';
import { type Instruction, imageSettings, readDockerfile, type Stage } from './instructions.ts';

export type BuiltImage = {
  /** Its /app. */
  folder: string;
  environment: Record<string, string>;
  command: string[];
  remove: () => void;
};

/**
 * Does what the Dockerfile says, without a container: each stage has a folder in the place of its /app, and RUN runs there
 * with this Node in the place of that of the base image.
 *
 * @throws where an instruction fails, or is one that this does not know
 */
export function buildImage(): BuiltImage {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-image-'));
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const { stages } = readDockerfile(dockerfile);
  const last = stages.at(-1)?.name ?? '';
  try {
    for (const stage of stages) buildStage(folder, stage);
  } catch (error) {
    remove(folder);
    throw error;
  }
  const instructions = stages.at(-1)?.instructions ?? [];
  return {
    folder: join(folder, last),
    environment: imageSettings(dockerfile).environment,
    command: JSON.parse(instructions.find(({ keyword }) => keyword === 'CMD')?.text ?? '[]'),
    remove: () => remove(folder),
  };
}

/** Its folders may have lost the right to be written, and then only root could empty them. */
function remove(folder: string): void {
  for (const { path, entry } of entriesIn(folder)) if (entry.isDirectory()) chmodSync(path, 0o755);
  rmSync(folder, { recursive: true, force: true });
}

function buildStage(stages: string, { name, base, instructions }: Stage): void {
  const app = join(stages, name);
  // Stages begin with a stage before them, or with an image, whose /app is empty.
  if (base.includes(':')) mkdirSync(app);
  else cpSync(join(stages, base), app, { recursive: true, verbatimSymlinks: true });
  for (const instruction of instructions) {
    if (instruction.keyword === 'RUN') run(instruction.text, app);
    else if (instruction.keyword === 'COPY') copy(instruction, stages, app);
    else if (!SAYS_HOW_TO_RUN.has(instruction.keyword)) throw new Error(`${instruction.keyword} is not known here.`);
  }
}

/** Instructions that change no file. */
const SAYS_HOW_TO_RUN = new Set('ENV LABEL WORKDIR USER VOLUME EXPOSE STOPSIGNAL HEALTHCHECK CMD'.split(' '));

function run(command: string, app: string): void {
  const path = `${dirname(process.execPath)}:${process.env['PATH']}`;
  // What is installed already need not be fetched again.
  const settings = { npm_config_prefer_offline: 'true', PATH: path };
  execFileSync('sh', ['-c', command], { cwd: app, env: { ...process.env, ...settings }, stdio: 'pipe' });
}

function copy({ flags, text }: Instruction, stages: string, app: string): void {
  const [target = '', ...sources] = text.split(/\s+/).toReversed();
  for (const source of sources) {
    if (flags['from'] === undefined) copyFromContext(source, target, app);
    else copyInto(join(stages, flags['from'], source.replace(/^\/app\//, '')), target, app);
  }
}

function copyFromContext(source: string, target: string, app: string): void {
  const files = buildContext().filter((file) => source === '.' || file === source || file.startsWith(`${source}/`));
  if (files.length === 0) throw new Error(`COPY ${source}: .dockerignore leaves nothing of it.`);
  const isFolder = source === '.' || statSync(join(root, source)).isDirectory();
  for (const file of files) {
    const below = source === '.' ? file : file.slice(source.length + 1);
    copyInto(join(root, file), isFolder ? join(target, below) : target, app);
  }
}

/** The content of a folder, or a file; into a folder where the target ends with a slash, or is one. */
function copyInto(from: string, target: string, app: string): void {
  const intoFolder = !statSync(from).isDirectory() && (target === './' || target.endsWith('/'));
  const to = join(app, target, intoFolder ? basename(from) : '');
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
}
