import { contractJson } from '@animal-store/contract/document';
import { type ContractDocument, operationsOf } from '../../generate/document.ts';
import { type ArazzoDocument, readWorkflows, type Workflow } from './arazzo.ts';
import { shellName } from './expressions.ts';
import { command, consequences, type Target } from './step-text.ts';

/** A guide made from docs/workflows/NAME.arazzo.yaml. */
export type WorkflowGuide = {
  /** Of its file, `first-animal`; links between guides are `NAME.md`. */
  name: string;
  title: string;
  /** One sentence about it. */
  summary: string;
  /** The whole guide, its title as the first heading. */
  markdown: string;
};

/** The workflows in words and requests, in the order of their names. */
export function workflowGuides(contract: ContractDocument = JSON.parse(contractJson)): WorkflowGuide[] {
  return readWorkflows().map(({ name, document }) => {
    const { title, summary } = document.info;
    return { name, title, summary, markdown: guide(name, document, contract) };
  });
}

function guide(name: string, { info, workflows }: ArazzoDocument, contract: ContractDocument): string {
  const targets = new Map(operationsOf(contract).map(({ operation, ...target }) => [operation.operationId, target]));
  const steps = workflows.flatMap((workflow) => workflow.steps.map((step) => ({ workflow, step })));
  const sections = steps.map(({ workflow, step }, index) => {
    const target: Target | undefined = targets.get(step.operationId);
    if (target === undefined) throw new Error(`${name}: the contract has no operation ${step.operationId}.`);
    return `## ${index + 1}. ${heading(step.stepId)}

${step.description.trim()}

${command(step, workflow.parameters ?? [], target)}

${consequences(step)}`;
  });
  return `# ${info.title}

${info.summary}

${info.description.trim()}

${inputs(workflows, contract)}

${sections.join('\n\n')}

---

This page is made from \`${name}.arazzo.yaml\`, an [Arazzo](https://spec.openapis.org/arazzo/latest.html) description that our
tests run against the real server.
`;
}

function inputs(workflows: readonly Workflow[], contract: ContractDocument): string {
  const properties = Object.assign({}, ...workflows.map((workflow) => workflow.inputs.properties));
  const rows = Object.entries<{ description: string }>(properties).map(
    ([input, { description }]) => `| \`$${shellName(input)}\` | ${description} |`,
  );
  return `The commands take these from your shell:

| Variable | What it is |
|---|---|
| \`$ANIMAL_STORE_URL\` | Where the API is, \`${contract.servers[0]?.url}\`. |
${rows.join('\n')}`;
}

/** `addItAgain` as `Add it again`. */
function heading(stepId: string): string {
  const words = stepId.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
