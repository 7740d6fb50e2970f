import { join } from 'node:path';
import { dig, entriesOf } from '../common/json.ts';
import {
  type ContractDocument,
  kindOf,
  nameOfReference,
  operationsOf,
  type ResponseObject,
  resolve,
  responseOf,
} from '../contract/document.ts';
import { hasProblems } from '../contract/error-form.ts';
import { withBlobs } from '../contract/forms.ts';
import type { Bundle } from '../effective/bundle.ts';
import { requestsOf } from '../new/requests.ts';
import { project, root, settings } from '../project.ts';
import { objectTypes } from './common-members.ts';
import { generateConstants, header } from './constants.ts';
import { generateMethods } from './methods.ts';
import { openapiTypescript as generateTypes } from './openapi-typescript.ts';
import { withNamedTypes } from './readable-types.ts';
import { generateRequestSchemas, generateResponseSchemas } from './requests.ts';
import { assertTypeNames, typeName } from './type-names.ts';

const generated = join(root, 'packages/contract/src/generated');
const ofClient = join(root, 'packages/client/src/generated');

/** Every file that is generated from the contract, with its text. */
export async function generatedFiles({
  json,
  document,
}: Pick<Bundle, 'json' | 'document'>): Promise<Map<string, string>> {
  assertTypeNames(document);
  const types = await generateTypes(withBlobs(withDescriptions(withBetaTags(document))));
  return new Map([
    [join(generated, 'openapi.json'), json],
    [join(generated, 'openapi.ts'), header + withNamedTypes(types)],
    [join(generated, 'constants.ts'), generateConstants(document, settings.metricPrefix)],
    [join(generated, 'examples.ts'), generateExamples(document)],
    [join(generated, 'requests.ts'), generateRequestSchemas(document)],
    [join(generated, 'responses.ts'), generateResponseSchemas(document)],
    ...Object.entries(generateMethods(document, types)).map(([name, text]): [string, string] => [
      join(ofClient, name),
      text,
    ]),
    [join(root, 'docs/errors.md'), generateErrorPage(document)],
    ...(project.completes ? [[join(root, 'packages/server/test/requests.json'), requestsOf(document)] as const] : []),
  ]);
}

/** The generators of types write `@deprecated` but not `@beta`; they copy the description unchanged. */
export function withBetaTags(document: ContractDocument): ContractDocument {
  const copy = structuredClone(document);
  for (const { operation } of operationsOf(copy)) {
    if (operation['x-stability'] === 'beta') operation.description = `${operation.description?.trimEnd()}\n@beta`;
  }
  return copy;
}

/** Gives each property that only refers to a schema the description of that schema, which editors show for the property. */
export function withDescriptions(document: ContractDocument): ContractDocument {
  const copy = structuredClone(document);
  const visit = (node: unknown) => {
    for (const [key, value] of entriesOf(node)) {
      if (key === 'properties') {
        for (const [, property] of entriesOf(value)) {
          const description = dig(resolve(copy, property), 'description');
          if (dig(property, '$ref') && description)
            Object.assign(Object(property), { description, ...Object(property) });
        }
      }
      visit(value);
    }
  };
  visit(copy);
  return copy;
}

/** Every documented response with its examples; a shared one is written once. */
function generateExamples(document: ContractDocument): string {
  const used = new Set(
    operationsOf(document).flatMap(({ operation }) => Object.values(operation.responses).map(({ $ref }) => $ref)),
  );
  const shared = Object.entries(document.components.responses).filter(([name]) =>
    used.has(`#/components/responses/${name}`),
  );
  return [
    header,
    ...shared.map(
      ([name, response]) => `const ${typeName(name)} = ${literal(exampleOf(document, response))} as const;\n`,
    ),
    '/** Every documented response, by operationId and status: its headers, those that it may have, and its bodies by name. */',
    `export const replyExamples = {\n${operationsOf(document)
      .map(({ operation }) => `  "${operation.operationId}": {\n${repliesOf(document, operation.responses)}\n  },`)
      .join('\n')}\n} as const;\n`,
    generateExampleNames(document),
  ].join('\n');
}

function generateExampleNames(document: ContractDocument): string {
  const operations = operationsOf(document).map(({ operation }) => operation);
  const namesOf = ({ responses }: (typeof operations)[number]) =>
    Object.entries(responses).map(([status, response]) => {
      const names = Object.keys(exampleOf(document, response).bodies).map((name) => JSON.stringify(name));
      return `${keyOf(status)}: ${names.join(' | ') || 'never'}`;
    });
  const { common, objects } = objectTypes('CommonExamples', operations.map(namesOf));
  const table = operations.map(
    ({ operationId }, index) => `  "${operationId}": ${objects[index]?.replaceAll('\n', '\n  ')};\n`,
  );
  return `${common}
/** The names of the examples, by operationId and status. Smaller than the type of the examples, for declarations. */
export type ReplyExamples = {\n${table.join('')}};\n`;
}

/** A status as the key of a property. */
function keyOf(status: string): string {
  return /^\d+XX$/.test(status) ? `'${status}'` : status;
}

function repliesOf(document: ContractDocument, responses: Record<string, ResponseObject>): string {
  return Object.entries(responses)
    .map(([status, response]) => {
      const name = response.$ref === undefined ? undefined : typeName(nameOfReference(response.$ref));
      return `    ${keyOf(status)}: ${name ?? literal(exampleOf(document, response))},`;
    })
    .join('\n');
}

function exampleOf(document: ContractDocument, response: ResponseObject) {
  const { headers = {}, content = {} } = responseOf(response, document);
  const values = (required: boolean) =>
    Object.fromEntries(
      Object.entries(headers)
        .filter(([, part]) => (part.required === true) === required)
        .map(([name, { example }]) => [name, `${example}`]),
    );
  return { headers: values(true), optionalHeaders: values(false), ...bodiesOf(content) };
}

/**
 * The example bodies of a response by name, empty if it has no body. `mediaTypes` has the media types of those that are not
 * application/json. If two media types use the same name, the media type is appended to the second one.
 */
function bodiesOf(content: NonNullable<ResponseObject['content']>) {
  const bodies: Record<string, unknown> = {};
  const mediaTypes: Record<string, string> = {};
  for (const [mediaType, media] of Object.entries(content)) {
    const example = dig(media, 'example');
    const examples = { ...(example === undefined ? {} : { example: { value: example } }), ...media.examples };
    // A binary body may have no example: its mock is empty.
    const named = Object.keys(examples).length === 0 ? emptyExample(mediaType) : examples;
    for (const [name, { value }] of Object.entries(named)) {
      const unique = name in bodies ? `${name} (${mediaType})` : name;
      bodies[unique] = value;
      if (mediaType !== 'application/json') mediaTypes[unique] = mediaType;
    }
  }
  return Object.keys(mediaTypes).length === 0 ? { bodies } : { bodies, mediaTypes };
}

function emptyExample(mediaType: string): Record<string, { value: unknown }> {
  return kindOf(mediaType) === 'json' ? {} : { empty: { value: '' } };
}

function literal(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** docs/errors.md: one row and one anchor per error code of the contract. */
function generateErrorPage(document: ContractDocument): string {
  const rows = Object.entries(document.components.schemas.ErrorCode['x-codes']).map(
    ([code, row]) => `| <a id="${code}"></a>\`${code}\` | ${row.status} | ${row.cause} | ${row.action} |`,
  );
  return `<!-- Generated by contract-first generate from openapi.yaml. Do not edit. -->
# Errors

${hasProblems(document) ? aboutProblems : aboutErrors}

| code | status | cause | what to do |
|---|---|---|---|
${rows.join('\n')}
`;
}

const aboutErrors = `Every error response is JSON with a \`code\`, a \`message\` and the HTTP \`status\`. If a request has invalid parts, \`details\`
lists each problem. In your program, check \`code\` and \`status\`: the wording of \`message\` may change. New codes may be added,
so if you don't recognise a \`code\`, handle it by its \`status\`. Codes are never reused.

\`\`\`json
{
  "code": "invalid_request",
  "message": "The request is invalid: query/limit must be at most 100.",
  "status": 400,
  "details": [{ "where": "query/limit", "what": "must be at most 100" }]
}
\`\`\``;

const aboutProblems = `Every error response is a problem (RFC 9457), with the media type \`application/problem+json\`: its \`type\` is the URL of the
documentation, and it has a \`title\`, the HTTP \`status\`, a \`detail\` and a \`code\`. If a request has invalid parts, \`details\` lists each of
them. In your program, check \`code\` and \`status\`: the wording of \`detail\` may change. New codes may be added, so if you don't
recognise a \`code\`, handle it by its \`status\`. Codes are never reused.

\`\`\`json
{
  "type": "/docs/errors.html#invalid_request",
  "title": "Invalid request",
  "status": 400,
  "detail": "The request is invalid: query/limit must be at most 100.",
  "code": "invalid_request",
  "details": [{ "where": "query/limit", "what": "must be at most 100" }]
}
\`\`\``;
