import {
  type ContractDocument,
  kindOf,
  nameOfReference,
  operationsOf,
  resolved,
  type SchemaObject,
} from '../contract/document.ts';
import { project } from '../project.ts';
import { header } from './constants.ts';
import { bareFor, referenced, schemaConstant, schemaConstants } from './requests.ts';
import { typeName } from './type-names.ts';

/** A factory of the values of each named object that a successful response has, as a whole or as an item of a list. */
export function generateFactories(document: ContractDocument): string {
  const bare = bareFor(document, 'writeOnly', ['x-pattern-says', 'example', 'examples', 'writeOnly', 'discriminator']);
  const names = [...new Set(operationsOf(document).flatMap((operation) => objectsIn(document, operation.responses)))];
  const schemas = referenced(
    document,
    bare,
    names.map((name) => ({ $ref: `#/$defs/${name}` })),
  );
  const constants = schemaConstants(schemas);
  const factories = names.map((name) => {
    const { [name]: schema, ...others } = { [name]: schemas[name], ...referenced(document, bare, schemas[name]) };
    const used = Object.keys(schema === undefined ? {} : others).map(
      (one) => `${JSON.stringify(one)}: ${schemaConstant(one)}`,
    );
    return `/** Makes values of \`${name}\`, for tests and stories. */
export const create${typeName(name)}: Factory<contract.${typeName(name)}> = /* @__PURE__ */ createFactory(${schemaConstant(name)}, { ${used.join(', ')} });\n`;
  });
  const imports = [
    `import type * as contract from '${project.contractPackage}/types';`,
    `import { createFactory, type Factory } from '@contract-first/client/mocks';\n`,
  ];
  return [header, ...(names.length === 0 ? ['export {};\n'] : [...imports, ...constants, ...factories])].join('\n');
}

/** The names of the objects that the successful responses have. */
function objectsIn(
  { components }: ContractDocument,
  responses: ReturnType<typeof operationsOf>[number]['responses'],
): string[] {
  return responses
    .filter(({ status }) => /^2/.test(status))
    .flatMap(({ content = {} }) => Object.entries(content))
    .filter(([type]) => kindOf(type) === 'json')
    .flatMap(([, { schema }]) => {
      if (schema === undefined) return [];
      const whole = resolved<SchemaObject>(components.schemas, schema);
      const { $ref } = whole.items ?? schema;
      const target = $ref === undefined ? undefined : components.schemas[nameOfReference($ref)];
      return $ref !== undefined && target !== undefined && 'properties' in target ? [nameOfReference($ref)] : [];
    });
}
