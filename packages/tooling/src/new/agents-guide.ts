import { type ContractDocument, needsKeys, operationsOf } from '../contract/document.ts';
import { takesHeader } from '../generate/constants.ts';

/** The guide for language models of a new project: where they read on, and the rules for which its contract has a reason. */
export function agentsGuide(document: ContractDocument): string {
  const operations = operationsOf(document);
  const takes = (header: string) => operations.some(({ parameters }) => takesHeader(parameters, header));
  const rules = [
    ...(needsKeys(document) ? ['Never print the key, and never put it into a file that is committed.'] : []),
    'Take operations and fields from `openapi.yaml`. Do not guess them.',
    ...(takes('Idempotency-Key')
      ? ['Send an `Idempotency-Key` with each operation that takes one, and the same one when you retry.']
      : []),
    ...(takes('If-Match') ? ['Read a resource before you change it, and send its `ETag` in `If-Match`.'] : []),
    ...(document['x-rate-limits'] === undefined
      ? []
      : ['After a `429`, send nothing until the time in `Retry-After` has passed.']),
    'If a request fails, decide by the `code` of the [error](errors.md). Do not repeat a request with a `4xx` unchanged.',
    ...(operations.some(({ operation }) => operation.deprecated === true)
      ? ['Do not call operations that are deprecated.']
      : []),
    'Before you delete or change several resources, ask the person for whom you work.',
  ];
  return `# Language models and agents

## Read the docs as Markdown

- [llms.txt](../llms.txt) lists all pages.
- The Markdown of each page is at its URL with \`.md\` instead of \`.html\`, or with the header \`Accept: text/markdown\`.
- [openapi.yaml](../openapi.yaml) is the contract.

## Rules for agents

Copy these rules into the prompt or the instructions of your agent:

${rules.map((rule, index) => `${index + 1}. ${rule}`).join('\n')}
`;
}
