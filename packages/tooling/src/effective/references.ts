import { dig, entriesOf, keysOf, toPointer } from '../common/json.ts';
import { targetOf } from '../contract/document.ts';
import { type FoundOperation, usersOf } from '../contract/parse.ts';
import { type Draft, isObject, objectIn } from './draft.ts';

/** The groups of components that the tools know. */
const plain = /^#\/components\/(schemas|responses|parameters|headers|requestBodies|securitySchemes)\/[^/]+$/;

/** Replaces references to anything but a whole component by what they lead to: to parts of paths or components, and to examples. */
export function inlineReferences(draft: Draft): void {
  if (draft.isOurs) return;
  inlineIn(draft, draft.document, []);
  for (const group of ['examples', 'pathItems', 'callbacks', 'links']) delete draft.components[group];
}

/** Redocly reads 100 levels, and the effective contract has a few more than the given one. */
const DEEPEST = 90;

/** Takes out what is nested too deep, and refuses the operations that it belongs to. */
export function leaveOutDeepParts({ document, problems }: Draft): void {
  const places = [...deepPlaces(document, DEEPEST)];
  const usersAt = places.length === 0 ? () => [] : usersOf(document);
  const message = `This is nested more than ${DEEPEST} levels deep. Move inner parts to components, and refer to them.`;
  for (const keys of places) {
    const pointer = toPointer(keys);
    problems.push(...usersAt(pointer).map(({ key }) => ({ operation: key, pointer, message })));
    const empty = Array.isArray(dig(document, ...keys)) ? [] : {};
    Object.assign(Object(dig(document, ...keys.slice(0, -1))), { [keys.at(-1) ?? '']: empty });
  }
}

/** The keys of the objects and lists at a depth. */
export function* deepPlaces(node: unknown, depth: number, keys: string[] = []): Generator<string[]> {
  for (const [key, child] of entriesOf(node)) {
    const place = [...keys, key];
    if (place.length < depth) yield* deepPlaces(child, depth, place);
    else if (entriesOf(child).length > 0) yield place;
  }
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

function inlineIn(draft: Draft, node: unknown, followed: readonly string[]): void {
  for (const [key, child] of entriesOf(node)) {
    const reference = dig(child, '$ref');
    const isLocal = typeof reference === 'string' && reference.startsWith('#/');
    const end = isLocal ? endOf(draft.document, reference) : undefined;
    // Redocly reads no contract with references that lead only to each other. These lead nowhere, which lint reports.
    if (isLocal && end === undefined) Object.assign(Object(child), { $ref: `${reference} (it leads nowhere)` });
    // Parts that refer to two others each would double at every level.
    const isRepeated = isLocal && (followed.includes(reference) || followed.length > 8);
    if (!isLocal || end === undefined || plain.test(reference) || isRepeated) {
      inlineIn(draft, child, followed);
      continue;
    }
    const first = targetOf(draft.document, reference);
    const copy = structuredClone(plain.test(String(dig(first, '$ref'))) ? first : end);
    Object.assign(Object(node), { [key]: copy });
    inlineIn(draft, { copy }, [...followed, reference]);
  }
}

/** What a reference leads to in the end, through other references; undefined if that is nothing. */
function endOf(document: unknown, reference: string): unknown {
  let target: unknown = { $ref: reference };
  // No contract has a longer row.
  for (let steps = 0; steps < 1_000; steps += 1) {
    const next = dig(target, '$ref');
    if (typeof next !== 'string') return target;
    target = targetOf(document, next);
  }
  return undefined;
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
