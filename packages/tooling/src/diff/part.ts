import { dig, entriesOf, toPointer } from '../common/json.ts';
import {
  type FoundOperation,
  isMethod,
  operationsIn,
  type Section,
  sections,
  usedComponents,
} from '../contract/parse.ts';

/**
 * The part of a contract that some of its operations use: the operations and the components that they use. Components
 * that only other operations use are left out.
 */
export function partOf(document: unknown, isKept: (operation: FoundOperation) => boolean): object {
  const kept = new Set(
    operationsIn(document)
      .filter(isKept)
      .map(({ at }) => at),
  );
  const parts = sections.map((section) => [section, itemsOf(document, section, kept)] as const);
  const part = { ...Object(document), ...Object.fromEntries(parts), security: undefined };
  return { ...part, components: usedComponents(document, parts) };
}

/** The paths or webhooks of a document with the operations that are kept, each with its `security`. */
function itemsOf(document: unknown, section: Section, kept: ReadonlySet<string>): object | undefined {
  const items = entriesOf(dig(document, section)).flatMap(([path, item]) => {
    const entries = entriesOf(item)
      .filter(([key]) => !isMethod(key) || kept.has(toPointer([section, path, key])))
      .map(([key, value]) => [key, isMethod(key) ? withSecurity(value, document, section) : value]);
    return entries.some(([key]) => isMethod(String(key))) ? [[path, Object.fromEntries(entries)]] : [];
  });
  // Redocly reports an empty list of webhooks as an addition.
  return section === 'webhooks' && items.length === 0 ? undefined : Object.fromEntries(items);
}

/**
 * Redocly reports the first `security` of an operation as a new requirement, even if it repeats the `security` of the document. It
 * compares scopes as sets, so each scope is written together with the scopes that it includes. Before scopes existed, every key had
 * both.
 */
function withSecurity(operation: unknown, document: unknown, section: Section): object {
  // Deliveries do not have an API key.
  if (section === 'webhooks') return { ...Object(operation), security: undefined };
  const security = entriesOf(dig(operation, 'security') ?? dig(document, 'security')).map(([, requirement]) =>
    Object.fromEntries(
      entriesOf(requirement).map(([scheme, scopes]) => [scheme, scheme === 'apiKey' ? includedScopes(scopes) : scopes]),
    ),
  );
  return { ...Object(operation), security };
}

function includedScopes(scopes: unknown): unknown {
  if (!Array.isArray(scopes)) return scopes;
  return scopes.length === 0 || scopes.includes('write') ? [...new Set(['read', 'write', ...scopes])] : scopes;
}
