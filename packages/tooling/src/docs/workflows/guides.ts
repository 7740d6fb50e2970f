import { type ContractDocument, operationsOf } from '../../contract/document.ts';
import { project } from '../../project.ts';
import { keyPlaceholder, shownServerOf } from '../samples/request.ts';
import { type ArazzoDocument, type Input, readWorkflows, type Workflow } from './arazzo.ts';
import { command, consequences, shellName, type Target } from './step-text.ts';

/** A guide made from docs/workflows/NAME.arazzo.yaml. */
export type WorkflowGuide = {
  /** The name of its file, such as `first-note`. Links between guides are `NAME.md`. */
  name: string;
  title: string;
  /** One sentence about it. */
  summary: string;
  /** The whole guide, with its title as the first heading. */
  markdown: string;
};

/** The workflows as guides, in the order of their names. */
export function workflowGuides(contract: ContractDocument): WorkflowGuide[] {
  return readWorkflows().map(({ name, document }) => {
    const { title, summary } = document.info;
    return { name, title, summary, markdown: guide(name, document, contract) };
  });
}

function guide(name: string, { info, workflows }: ArazzoDocument, contract: ContractDocument): string {
  const targets = new Map(operationsOf(contract).map(({ operation, ...target }) => [operation.operationId, target]));
  const steps = workflows.flatMap((workflow) => workflow.steps.map((step) => ({ workflow, step })));
  const exported = new Set<string>();
  const sections = steps.map(({ workflow, step }, index) => {
    const target: Target | undefined = targets.get(step.operationId);
    if (target === undefined) throw new Error(`${name}: the contract has no operation ${step.operationId}.`);
    const isReadLater = steps.some((other) => Object.values(other.workflow['x-commands'] ?? {}).some(readsReply));
    const request = command(step, workflow.parameters ?? [], target, { isStored: isReadLater });
    const lines = [
      ...(index === 0 ? [`export ${project.variables}_URL='${shownServerOf(contract)}'`] : []),
      ...exports(workflow, exported),
      isReadLater ? `result="$(${request})"\nprintf '%s\\n' "$result"` : request,
    ];
    return `## ${index + 1}. ${heading(step.stepId)}

${step.description.trim()}

\`\`\`bash
${lines.join('\n')}
\`\`\`

${consequences(step)}`;
  });
  return `# ${info.title}

${info.summary}

${info.description.trim()}

The commands use these variables:

${inputs(workflows)}

${sections.join('\n\n')}

---

We generate this page from \`${name}.arazzo.yaml\`, which describes the workflow for programs
([Arazzo](https://spec.openapis.org/arazzo/latest.html)). Our tests run that file and these commands against a real server.
`;
}

/**
 * The commands that export the inputs of a workflow. Inputs that depend on the previous response are exported again in
 * each step.
 */
function exports({ inputs, 'x-commands': commands = {} }: Workflow, exported: Set<string>): string[] {
  return Object.entries(inputs.properties).flatMap(([name, { default: value = keyPlaceholder }]) => {
    const printing = commands[name];
    if (exported.has(name) && !readsReply(printing)) return [];
    exported.add(name);
    return `export ${shellName(name)}=${printing === undefined ? `'${value}'` : `"$(${printing})"`}`;
  });
}

function readsReply(command = ''): boolean {
  return command.includes('$result');
}

function inputs(workflows: readonly Workflow[]): string {
  const properties: Record<string, Input> = Object.assign(
    {},
    ...workflows.map((workflow) => workflow.inputs.properties),
  );
  const rows = Object.entries(properties).map(
    ([input, { description }]) => `| \`$${shellName(input)}\` | ${description} |`,
  );
  return [
    '| Variable | Meaning |',
    '|---|---|',
    `| \`$${project.variables}_URL\` | The URL of the API. |`,
    ...rows,
  ].join('\n');
}

/** `addItAgain` as `Add it again`. */
function heading(stepId: string): string {
  const words = stepId.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
