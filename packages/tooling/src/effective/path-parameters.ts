import { dig, entriesOf, listOf } from '../common/json.ts';
import { isMethod } from '../contract/parse.ts';
import { type Draft, isObject, type Json, objectIn } from './draft.ts';
import { camelCase, freeName } from './names.ts';

/** Gives each operation the parameters of its path that it does not have itself. One of its own replaces that of the path. */
export function shareParameters(draft: Draft): void {
  const identityOf = (parameter: unknown) => {
    const found = draft.resolve(parameter);
    return `${dig(found, 'in')} ${dig(found, 'name')}`;
  };
  for (const [, item] of draft.isOurs ? [] : entriesOf(draft.document['paths'])) {
    const shared = listOf(dig(item, 'parameters'));
    for (const [method, operation] of entriesOf(item)) {
      if (!isMethod(method) || !isObject(operation) || shared.length === 0) continue;
      const own = Array.isArray(operation['parameters']) ? operation['parameters'] : [];
      const further = shared.filter((one) => !own.some((other) => identityOf(other) === identityOf(one)));
      operation['parameters'] = JSON.parse(JSON.stringify([...further, ...own]));
    }
    if (isObject(item)) delete item['parameters'];
  }
}

/** The names of path parameters are names in code, and the same at the same place of all paths. Callers do not see them. */
export function namePathParameters(draft: Draft): void {
  const paths = objectIn(draft.document, 'paths');
  const entries = Object.entries(paths);
  const known = new Map<string, string>();
  const renamed = entries.map(([path]) => pathWithNames(path, known));
  if (renamed.every(({ path }, index) => path === entries[index]?.[0])) return;
  draft.note('The names of path parameters are names in code, and the same in every path.');
  for (const [path] of entries) delete paths[path];
  for (const [index, [given, item]] of entries.entries()) {
    const other = renamed[index];
    // Two paths that differ only in names stay as they are: lint reports them.
    const isFree = other !== undefined && !Object.hasOwn(paths, other.path);
    const { path, names } = isFree ? other : { path: given, names: new Map<string, string>() };
    for (const holder of [item, ...entriesOf(item).map(([, operation]) => operation)]) {
      if (!isObject(holder) || !Array.isArray(holder['parameters'])) continue;
      holder['parameters'] = holder['parameters'].map((parameter) => withName(draft, parameter, names));
    }
    paths[path] = item;
    draft.givenPaths.set(path, given);
  }
}

/** The parameter itself, or a copy with its other name, because paths that share it may name it differently. */
function withName(draft: Draft, reference: Json, names: ReadonlyMap<string, string>): Json {
  const parameter = draft.resolve(reference);
  if (!isObject(parameter) || parameter['in'] !== 'path') return reference;
  const name = names.get(String(parameter['name']));
  return name === undefined || name === parameter['name'] ? reference : { ...structuredClone(parameter), name };
}

/** A path with other names of its parameters, and these by the given ones. `known` has the name at each place of the paths before. */
function pathWithNames(given: string, known: Map<string, string>): { path: string; names: Map<string, string> } {
  const names = new Map<string, string>();
  let place = '';
  const segments = given.split('/').map((segment) => {
    place += `/${segment.replaceAll(/\{[^{}]+\}/g, '{}')}`;
    return segment.replaceAll(/\{([^{}]+)\}/g, (_, name: string, offset: number) => {
      const code = /^[A-Za-z_]\w*$/.test(name) ? name : camelCase(name);
      const used = new Set(names.values());
      const at = `${place} ${segment.slice(0, offset).split('{').length}`;
      const chosen = known.get(at) ?? code;
      // Another parameter of this path may have the name.
      const final = used.has(chosen) ? freeName(code, (choice) => used.has(choice)) : chosen;
      known.set(at, known.get(at) ?? final);
      names.set(name, final);
      return `{${final}}`;
    });
  });
  return { path: segments.join('/'), names };
}
