import { type ContractDocument, kindOf } from '../contract/document.ts';
import { header } from './constants.ts';
import type { Described } from './methods.ts';
import { type Bare, bareFor, referenced, schemaConstant, schemaConstants } from './requests.ts';

/**
 * A schema for forms of each JSON body. Each is a constant of its own, and so are the schemas that they refer to, so that a bundle has only
 * those that it uses.
 */
export function generateForms(document: ContractDocument, all: readonly Described[]): string {
  const bare = bareFor(document, 'readOnly');
  const forms = all.flatMap((one) => formOf(one, bare));
  const definitions = referenced(
    document,
    bare,
    forms.map(({ schema }) => schema),
  );
  const imports = [
    `import { formSchema, type FormSchema } from '@contract-first/client/forms';`,
    `import type { ${forms.map(({ paramsType }) => paramsType).join(', ')} } from './operations.ts';\n`,
  ];
  return [
    header,
    ...(forms.length === 0 ? [] : imports),
    `export { type FieldIssue, issuesOf } from '@contract-first/client/forms';\n`,
    ...schemaConstants(definitions),
    ...forms.map(({ id, paramsType, schema }) => {
      const names = Object.keys(referenced(document, bare, schema)).map(
        (one) => `${JSON.stringify(one)}: ${schemaConstant(one)}`,
      );
      const value = `formSchema(${JSON.stringify(schema, null, 2)}, { ${names.join(', ')} })`;
      return `/** The body of \`${id}\`. */
export const ${id}Body: FormSchema<Exclude<${paramsType}['body'], undefined>> = /* @__PURE__ */ ${value};\n`;
    }),
  ].join('\n');
}

type Form = { id: string; paramsType: string; schema: unknown };

function formOf({ id, body, paramsType }: Described, bare: Bare): Form[] {
  const [, media] = Object.entries(body?.content ?? {}).find(([type]) => kindOf(type) === 'json') ?? [];
  return media === undefined ? [] : [{ id, paramsType, schema: bare(media.schema) }];
}
