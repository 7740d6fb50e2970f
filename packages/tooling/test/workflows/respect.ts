import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redoclyCli, redoclyEnvironment } from '../../src/common/redocly.ts';
import { completeContract, project, root } from '../../src/project.ts';

const workflowsFolder = join(root, 'docs/workflows');

export type ExecutedStep = {
  stepId: string;
  response: { statusCode: number; body: unknown; headers: Record<string, string> };
};

export type RespectRun = {
  exitCode: number | null;
  output: string;
  /** Every request that was sent, including retries, in order. */
  steps: ExecutedStep[];
};

type Options = {
  /** Names of files in docs/workflows, without their extension. */
  names: readonly string[];
  /** One workflow of the file. Default: all. */
  workflow?: string;
  /** The URL of the API, ending in `/v1`. */
  url: string;
  inputs: Record<string, string | number>;
  /** A change that a test makes in the text of each file. */
  change?: (text: string) => string;
};

/** The name of the API in the workflows: `treeNursery`. */
const source = project.id.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Runs workflows against a server with `redocly respect`. Does not block, so the server may be in this process. */
export async function respect({ names, workflow, url, inputs, change = (text) => text }: Options): Promise<RespectRun> {
  const folder = mkdtempSync(join(tmpdir(), 'workflows-'));
  try {
    copyWorkflows(folder, change);
    const log = join(folder, 'log.json');
    const files = names.map((name) => `docs/workflows/${name}.arazzo.yaml`);
    const chosen = workflow === undefined ? [] : ['--workflow', workflow];
    const given = ['--server', `${source}=${url}`, '--input', JSON.stringify(inputs), '--json-output', log];
    const { exitCode, output } = await runRedocly(folder, ['respect', ...files, ...chosen, ...given]);
    return { exitCode, output, steps: executedSteps(log) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function copyWorkflows(folder: string, change: (text: string) => string): void {
  mkdirSync(join(folder, 'docs/workflows'), { recursive: true });
  copyFileSync(completeContract, join(folder, 'openapi.yaml'));
  for (const file of readdirSync(workflowsFolder)) {
    writeFileSync(join(folder, 'docs/workflows', file), change(readFileSync(join(workflowsFolder, file), 'utf8')));
  }
}

async function runRedocly(folder: string, parameters: string[]): Promise<{ exitCode: number | null; output: string }> {
  const child = spawn(process.execPath, [redoclyCli, ...parameters], {
    cwd: folder,
    env: redoclyEnvironment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      output += bytes;
    });
  }
  const exitCode = await new Promise<number | null>((ended) => child.once('close', ended));
  return { exitCode, output };
}

type Log = { files: Record<string, { executedWorkflows: { executedSteps: ExecutedStep[] }[] }> };

function executedSteps(file: string): ExecutedStep[] {
  const { files }: Log = JSON.parse(readFileSync(file, 'utf8'));
  return Object.values(files).flatMap(({ executedWorkflows }) =>
    executedWorkflows.flatMap((workflow) => workflow.executedSteps),
  );
}
