import { dig, entriesOf } from '../lint/redocly.ts';
import { type FoundOperation, isMethod, operationsIn } from './contract.ts';
import { keysOf } from './pointer.ts';

/**
 * The part of a contract that belongs to some of its operations: these, and the components that they reach. What only
 * others use is left out, and what they share stays.
 */
export function partOf(document: unknown, isKept: (operation: FoundOperation) => boolean): object {
  const kept = new Set(
    operationsIn(document)
      .filter(isKept)
      .map(({ path, method }) => `${path} ${method}`),
  );
  const security = dig(document, 'security');
  const paths = entriesOf(dig(document, 'paths')).flatMap(([path, item]) => {
    const entries = entriesOf(item)
      .filter(([key]) => !isMethod(key) || kept.has(`${path} ${key}`))
      .map(([key, value]) => [key, isMethod(key) ? withSecurity(value, security) : value]);
    return entries.some(([key]) => isMethod(String(key))) ? [[path, Object.fromEntries(entries)]] : [];
  });
  const part = { ...recordOf(document), paths: Object.fromEntries(paths), security: undefined };
  return { ...part, components: reachedComponents(document, part.paths) };
}

/** The components (`#/components/schemas/Pet`) that a part of a document reaches through its references. */
export function reachedFrom(document: unknown, part: unknown): Set<string> {
  const reached = new Set<string>();
  const waiting: unknown[] = [part];
  while (waiting.length > 0) {
    for (const [key, value] of entriesOf(waiting.pop())) {
      if (typeof value === 'object') waiting.push(value);
      if (key !== '$ref' || typeof value !== 'string') continue;
      const [root, kind = '', name = ''] = keysOf(value);
      const component = `#/components/${kind}/${name}`;
      if (root !== 'components' || reached.has(component)) continue;
      reached.add(component);
      waiting.push(dig(document, 'components', kind, name));
    }
  }
  return reached;
}

/** Redocly takes the first `security` of an operation for a new demand, though it repeats that of the document. */
function withSecurity(operation: unknown, security: unknown): object {
  return { security, ...recordOf(operation) };
}

function reachedComponents(document: unknown, paths: unknown): object {
  const reached = reachedFrom(document, paths);
  const kinds = entriesOf(dig(document, 'components')).map(([kind, components]) => {
    // Security schemes are named, not referenced.
    if (kind === 'securitySchemes') return [kind, components];
    return [
      kind,
      Object.fromEntries(entriesOf(components).filter(([name]) => reached.has(`#/components/${kind}/${name}`))),
    ];
  });
  return Object.fromEntries(kinds);
}

function recordOf(value: unknown): Record<string, unknown> {
  return Object.fromEntries(entriesOf(value));
}
