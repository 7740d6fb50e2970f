import { type ContractDocument, kindOf } from '../contract/document.ts';
import { header } from './constants.ts';
import type { Described } from './methods.ts';
import { type Bare, bareFor, referenced, schemaConstant, schemaConstants } from './requests.ts';

/**
 * A schema for forms of each JSON body and of the parameters of each operation. Each is a constant of its own, and so are the schemas that they
 * refer to, so that a bundle has only those that it uses.
 */
export function generateForms(document: ContractDocument, all: readonly Described[]): string {
  const bare = bareFor(document, 'readOnly');
  const forms = all.flatMap((one) => formsOf(one, bare));
  const definitions = referenced(
    document,
    bare,
    forms.map(({ schema }) => schema),
  );
  const constants = schemaConstants(definitions);
  const creators = [...new Set(forms.map(({ creator }) => creator))].sort();
  return [
    header,
    `import { ${creators.join(', ')}, type FormSchema } from '@contract-first/client/forms';`,
    `import type { ${[...new Set(forms.map(({ paramsType }) => paramsType))].join(', ')} } from './operations.ts';\n`,
    `export { type FieldIssue, issuesOf } from '@contract-first/client/forms';\n`,
    ...constants,
    ...forms.map(({ about, creator, name, type, schema }) => {
      const used = Object.keys(referenced(document, bare, schema));
      const names = used.map((one) => `${JSON.stringify(one)}: ${schemaConstant(one)}`);
      return `/** ${about} */
export const ${name}: FormSchema<${type}> = /* @__PURE__ */ ${creator}(${literal(schema)}, { ${names.join(', ')} });\n`;
    }),
  ].join('\n');
}

type Form = {
  about: string;
  creator: 'formSchema' | 'paramsSchema';
  name: string;
  paramsType: string;
  type: string;
  schema: unknown;
};

function formsOf({ id, parameters, body, paramsType }: Described, bare: Bare): Form[] {
  const [, media] = Object.entries(body?.content ?? {}).find(([type]) => kindOf(type) === 'json') ?? [];
  const forms: Form[] = [];
  if (media !== undefined) {
    const type = `Exclude<${paramsType}['body'], undefined>`;
    forms.push({
      ...{ about: `The body of \`${id}\`.`, creator: 'formSchema', name: `${id}Body` },
      ...{ paramsType, type, schema: bare(media.schema) },
    });
  }
  const sent = parameters.filter(({ in: place }) => place !== 'header');
  if (sent.length > 0) {
    const isWhole = sent.length === parameters.length && body === undefined;
    forms.push({
      about: `The parameters of \`${id}\` in its path and query.`,
      creator: 'paramsSchema',
      name: `${id}Params`,
      paramsType,
      type: isWhole ? paramsType : `Pick<${paramsType}, ${sent.map(({ name }) => JSON.stringify(name)).join(' | ')}>`,
      schema: {
        type: 'object',
        required: sent.filter(({ required }) => required === true).map(({ name }) => name),
        properties: Object.fromEntries(sent.map(({ name, schema }) => [name, bare(schema)])),
        additionalProperties: false,
      },
    });
  }
  return forms;
}

function literal(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
