import { dig, entriesOf, keysOf, toPointer } from '../common/json.ts';
import { keysOfReference, targetOf } from '../contract/document.ts';
import type { FoundOperation } from '../contract/parse.ts';
import { type Draft, isObject, objectIn } from './draft.ts';

/** The groups of components that the tools know. */
const plain = /^#\/components\/(schemas|responses|parameters|headers|requestBodies|securitySchemes)\/[^/]+$/;

/** Replaces references to anything but a whole component by what they lead to: to parts of paths or components, and to examples. */
export function inlineReferences(draft: Draft): void {
  if (draft.isOurs) return;
  inlineIn(draft, draft.document, []);
  for (const group of ['examples', 'pathItems', 'callbacks', 'links']) delete draft.components[group];
}

/** Reports references of an operation to the wrong kind of component. Those that lead nowhere are found by lint. */
export function checkReferences(draft: Draft, { key, at, operation }: FoundOperation): void {
  const parts = [
    { group: 'requestBodies', place: ['requestBody'], part: dig(operation, 'requestBody') },
    ...(['parameters', 'responses'] as const).flatMap((group) =>
      entriesOf(dig(operation, group)).map(([name, part]) => ({ group, place: [group, name], part })),
    ),
  ];
  for (const { group, place, part } of parts) {
    const reference = dig(part, '$ref');
    if (typeof reference !== 'string' || !plain.test(reference)) continue;
    if (reference.startsWith(`#/components/${group}/`)) continue;
    const message = `${reference} is none of components.${group}. Refer to one of these.`;
    draft.problems.push({ operation: key, pointer: toPointer([...keysOf(at), ...place]), message });
  }
}

/** Redocly reads no contract with references that lead only to each other. Here, they lead nowhere, which lint reports. */
export function withoutCycles(document: unknown): unknown {
  return JSON.parse(
    JSON.stringify(document, (_, node) => {
      const reference = dig(node, '$ref');
      const isCircular = typeof reference === 'string' && leadsBack(document, reference);
      return isCircular ? { ...node, $ref: `${reference} (it leads back to itself)` } : node;
    }),
  );
}

function leadsBack(document: unknown, reference: string, steps = 0): boolean {
  let node = document;
  const keys = keysOfReference(reference);
  for (const [index, key] of keys.entries()) {
    node = dig(node, key);
    const next = dig(node, '$ref');
    if (typeof next !== 'string') continue;
    const rest = toPointer(keys.slice(index + 1)).slice(1);
    // No contract has such a long chain.
    return steps === 1_000 || leadsBack(document, next + rest, steps + 1);
  }
  return false;
}

function inlineIn(draft: Draft, node: unknown, followed: readonly string[]): void {
  for (const [key, child] of entriesOf(node)) {
    const reference = dig(child, '$ref');
    if (typeof reference !== 'string' || !reference.startsWith('#/') || plain.test(reference)) {
      inlineIn(draft, child, followed);
      continue;
    }
    const target = targetOf(draft.document, reference);
    // Lint reports one that leads nowhere, or to itself.
    if (target === undefined || followed.includes(reference)) continue;
    const copy = structuredClone(target);
    if (isObject(node) || Array.isArray(node)) Object.assign(node, { [key]: copy });
    inlineIn(draft, { copy }, [...followed, reference]);
    const inner = dig(copy, '$ref');
    if (typeof inner === 'string') inlineIn(draft, node, [...followed, reference]);
  }
}

/** Writes the values of discriminators as references: a bare name is one, too. */
export function completeMappings(draft: Draft): void {
  if (draft.isOurs) return;
  const schemas = objectIn(draft.components, 'schemas');
  const visit = (node: unknown): void => {
    const mapping = dig(node, 'discriminator', 'mapping');
    for (const [value, name] of entriesOf(mapping)) {
      if (isObject(mapping) && Object.hasOwn(schemas, String(name))) mapping[value] = `#/components/schemas/${name}`;
    }
    for (const [, child] of entriesOf(node)) visit(child);
  };
  visit(draft.document);
}
