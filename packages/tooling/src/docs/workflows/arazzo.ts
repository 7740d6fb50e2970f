import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../project.ts';

/** The parts of an Arazzo description that guides are generated from. `redocly lint` checks this shape. */
export type ArazzoDocument = {
  info: { title: string; summary: string; description: string };
  workflows: Workflow[];
};

export type Workflow = {
  workflowId: string;
  inputs: { properties: Record<string, Input> };
  /**
   * Shell commands that print an input, by its name. They may read the previous response, `$result`. Redocly refuses
   * unknown keywords in the schema of the inputs.
   */
  'x-commands'?: Record<string, string>;
  parameters?: Parameter[];
  steps: Step[];
};

/** `default` is the value in the guide. */
export type Input = { description: string; default?: string | number };

export type Step = {
  stepId: string;
  description: string;
  operationId: string;
  parameters?: Parameter[];
  /** The default media type is JSON. */
  requestBody?: { contentType?: string; payload: unknown };
  successCriteria: Criterion[];
  onFailure?: { type: string; retryAfter?: number; retryLimit?: number; criteria?: Criterion[] }[];
  outputs?: Record<string, string>;
};

export type Parameter = { name: string; in: 'path' | 'query' | 'header'; value: string | number | (string | number)[] };

export type Criterion = { condition: string; context?: string; type?: 'regex' | 'jsonpath' };

export const workflowsFolder = join(root, 'docs/workflows');

/** Every Arazzo description by its name (`first-note`), in the order of the names. */
export function readWorkflows(folder = workflowsFolder): { name: string; document: ArazzoDocument }[] {
  const ending = '.arazzo.yaml';
  return globSync(`*${ending}`, { cwd: folder })
    .sort()
    .map((file) => ({
      name: file.slice(0, -ending.length),
      document: parse(readFileSync(join(folder, file), 'utf8')),
    }));
}
