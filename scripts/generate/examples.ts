import { header } from './constants.ts';
import { type ContractDocument, component, type HeaderObject, operationsOf, type ResponseObject } from './document.ts';

/** Every documented reply with its examples; one that operations share stands once. */
export function generateExamples(document: ContractDocument): string {
  const shared = Object.entries(document.components.responses);
  return [
    header,
    ...shared.map(([name, response]) => `const ${name} = ${literal(exampleOf(document, response))} as const;\n`),
    '/** Every documented reply, by operationId and status: its headers, those that it may have, and its bodies by name. */',
    `export const replyExamples = {\n${operationsOf(document)
      .map(({ operation }) => `  "${operation.operationId}": {\n${repliesOf(document, operation.responses)}\n  },`)
      .join('\n')}\n} as const;\n`,
  ].join('\n');
}

function repliesOf(document: ContractDocument, responses: Record<string, ResponseObject>): string {
  return Object.entries(responses)
    .map(([status, response]) => {
      const name = response.$ref?.split('/').at(-1);
      return `    ${status}: ${name ?? literal(exampleOf(document, response))},`;
    })
    .join('\n');
}

function exampleOf(document: ContractDocument, { headers = {}, content }: ResponseObject) {
  const resolved = Object.entries(headers).map(([name, part]): [string, HeaderObject] => [
    name,
    part.$ref === undefined ? part : component(document.components.headers, part.$ref),
  ]);
  const values = (required: boolean) =>
    Object.fromEntries(
      resolved
        .filter(([, part]) => (part.required === true) === required)
        .map(([name, { example }]) => [name, `${example}`]),
    );
  const examples = Object.entries(content?.['application/json']?.examples ?? {});
  return {
    headers: values(true),
    optionalHeaders: values(false),
    bodies: Object.fromEntries(examples.map(([name, { value }]) => [name, value])),
  };
}

function literal(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
