import { join } from 'node:path';
import { upgrade } from '@scalar/openapi-upgrader';
import { readIfThere, withTemporaryFolder } from '../common/files.ts';
import { dig, entriesOf } from '../common/json.ts';
import { redoclyConfig, runRedocly } from '../common/redocly.ts';
import { keyPrefix, kindOf, resolve as resolveIn } from '../contract/document.ts';
import { isErrorStatus } from '../contract/error-form.ts';
import { flat, typesOf } from '../contract/pagination.ts';
import { type Contract, operationsIn, readContract, without } from '../contract/parse.ts';
import { project, root, settings } from '../project.ts';
import type { JsonObject } from './draft.ts';
import { type Effective, effectiveContract } from './effective.ts';
import { referencesIn } from './files.ts';

export type Bundle = Effective & { json: string };

/** A contract in OpenAPI 3.0 or 2.0 as 3.1. One in 3.1 stays as it is, unless it has `nullable` of 3.0. */
export function upgraded(given: JsonObject): JsonObject {
  const hasNullable = JSON.stringify(given).includes('"nullable":true');
  const document = hasNullable && 'openapi' in given ? { ...given, openapi: '3.0.3' } : given;
  const isSwagger = 'swagger' in given;
  const isFile = (key: string, node: unknown) => key === 'schema' && dig(node, 'type') === 'file';
  // The upgrade changes what it is given, and leaves out the type of a file that an operation returns.
  const copy = isSwagger
    ? JSON.parse(JSON.stringify(given), (key, node) => (isFile(key, node) ? { 'x-file': true } : node))
    : document;
  const text = JSON.stringify(upgrade(copy, '3.1'));
  // Null is one of the values of an enumeration that may be null, and no value would be valid for an empty one.
  const upgradedDocument: JsonObject = JSON.parse(text, (_, node) => {
    if (typeof node !== 'object' || node === null) return node;
    const { nullable, ...rest } = node;
    const isComposed = ['oneOf', 'anyOf', 'enum'].some((keyword) => keyword in rest);
    if (typeof nullable === 'boolean' && !('type' in rest))
      return nullable && isComposed ? { anyOf: [rest, { type: 'null' }] } : rest;
    const { type, enum: values } = rest;
    if (!Array.isArray(values)) return node;
    if (values.length === 0) delete node.enum;
    const lacksNull = values.length > 0 && Array.isArray(type) && type.includes('null') && !values.includes(null);
    return hasNullable && lacksNull ? { ...node, enum: [...values, null] } : node;
  });
  if (isSwagger) writeMediaTypes(upgradedDocument);
  return upgradedDocument;
}

/**
 * In 2.0, an operation says for all its responses what it `produces`, such as an archive. An error that is an object is JSON, and a file is
 * not.
 */
function writeMediaTypes(document: JsonObject): void {
  const all = operationsIn(document).flatMap(({ operation }) => entriesOf(dig(operation, 'responses')));
  for (const [status, response] of all) {
    const found = resolveIn(document, response);
    const content = entriesOf(dig(found, 'content'));
    const [[, media] = []] = content;
    const isObjectSchema = typesOf(flat(document, dig(media, 'schema'))).includes('object');
    const types = content.map(([type]) => type).filter((type) => kindOf(type) !== 'json');
    const ofFile = types.length === 0 ? ['application/octet-stream'] : types;
    if (dig(media, 'schema', 'x-file') === true)
      Object.assign(Object(found), { content: Object.fromEntries(ofFile.map((type) => [type, {}])) });
    else if (isErrorStatus(status) && isObjectSchema && types.length === content.length)
      Object.assign(Object(found), { content: { 'application/json': media } });
  }
}

/**
 * openapi.yaml as JSON, with the targets of external `$ref`s included. If the project says so, also with what the service adds to every
 * API, and without the operations that it leaves out. Throws if it is not valid YAML or a `$ref` fails.
 */
export function bundleContract(leftOut = project.leftOut): Bundle {
  const given = bundleFile(readContract(join(root, 'openapi.yaml'), 'openapi.yaml'), redoclyConfig());
  const effective = effectiveContract(upgraded(given), project.id, settings.keyPrefix);
  const document = without(effective.document, leftOut);
  const { keyPrefix: wanted } = settings;
  const own = keyPrefix(document);
  if (wanted !== undefined && own !== undefined && own !== wanted) {
    throw new Error(
      `contract-first.yaml: keyPrefix is ${wanted}, but the contract has its own, ${own}. Change it in x-key-prefix or the bearerFormat of openapi.yaml.`,
    );
  }
  return { ...effective, json: `${JSON.stringify(document, null, 2)}\n`, document };
}

/** The complete contract as it is now, with the lines of openapi.yaml. */
export function currentContract({ document }: Pick<Bundle, 'document'> = bundleContract()): Contract {
  return { ...readContract(join(root, 'openapi.yaml'), 'openapi.yaml'), document };
}

/** A contract with the targets of its references to other files. @throws Error if one of them cannot be read */
export function bundleFile({ file, document }: Contract, config: string, path = file): JsonObject {
  const isWhole = [...referencesIn(document)].every(([reference]) => /^(#|\w+$)/.test(reference));
  if (isWhole) return Object(document);
  return withTemporaryFolder((folder) => {
    const output = join(folder, 'openapi.json');
    // With --force, a reference that leads nowhere stays, and lint names its place.
    const { stderr } = runRedocly('bundle', path, '--config', config, '--force', '-o', output);
    const json = readIfThere(output);
    if (json === undefined) throw new Error(`${file} cannot be read: ${/- (.+)/.exec(stderr)?.[1] ?? stderr}`);
    return JSON.parse(json);
  });
}
