import { dig, entriesOf, toPointer } from '../common/json.ts';
import { keysOfReference } from '../contract/document.ts';
import { operationsIn } from '../contract/parse.ts';
import { type Draft, isObject, type Json, type JsonObject } from './draft.ts';

/** An operation of the contract, and its path as it was given. */
type Target = { operation: unknown; path: string };
/** The operations as a contract names them: by operationId, and by reference. */
export type LinkTargets = { byId: Map<string, Target>; byReference: (reference: string) => Target | undefined };

/** The operations before they get other names. */
export function linkTargets({ document }: Draft): LinkTargets {
  const all = operationsIn(document).filter(({ section }) => section === 'paths');
  const targets = all.map(({ operation, path, id }) => ({ operation, path, id }));
  const given = new Map(all.map(({ at, operation }) => [at, operation]));
  return {
    byId: new Map(targets.map((target) => [target.id, target])),
    byReference(reference) {
      const operation = given.get(toPointer(keysOfReference(reference)));
      return targets.find((target) => target.operation === operation);
    },
  };
}

/** Gives links the names that operations and path parameters have now. Those that lead nowhere stay: lint reports them. */
export function completeLinks(draft: Draft, { byId, byReference }: LinkTargets): void {
  if (draft.isOurs) return;
  const sources = new Map([...byId.values()].map((target) => [target.operation, target.path]));
  for (const { section, operation, path } of operationsIn(draft.document)) {
    if (section !== 'paths') continue;
    const ofSource = renamed(sources.get(operation) ?? path, path);
    for (const link of linksOf(draft, operation)) {
      const reference = link['operationRef'];
      const target = typeof reference === 'string' ? byReference(reference) : byId.get(String(link['operationId']));
      const values = link['parameters'];
      const now = operationsIn(draft.document).find((one) => one.operation === target?.operation);
      if (target === undefined || now === undefined) continue;
      delete link['operationRef'];
      link['operationId'] = now.id;
      const ofTarget = renamed(target.path, now.path);
      if (!isObject(values)) continue;
      const entries = Object.entries(values).map(([name, value]): [string, Json] => {
        const [, place = '', own = name] = /^(path\.)?(.+)$/.exec(name) ?? [];
        return [`${place}${ofTarget.get(own) ?? own}`, inExpression(value, ofSource)];
      });
      link['parameters'] = Object.fromEntries(entries);
    }
  }
}

function linksOf(draft: Draft, operation: unknown): JsonObject[] {
  return entriesOf(dig(operation, 'responses'))
    .map(([, response]) => draft.resolve(response))
    .flatMap((response) => entriesOf(dig(response, 'links')))
    .map(([, link]) => link)
    .filter(isObject);
}

/** The names of the parameters of a path by those that it had. */
function renamed(given: string, path: string): ReadonlyMap<string, string> {
  const namesIn = (one: string) => [...one.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
  const names = namesIn(path);
  return new Map(namesIn(given).map((name, index) => [name, names[index] ?? name]));
}

function inExpression(value: Json, names: ReadonlyMap<string, string>): Json {
  if (typeof value !== 'string') return value;
  return value.replace(/^\$request\.path\.(.+)$/, (_, name: string) => `$request.path.${names.get(name) ?? name}`);
}
