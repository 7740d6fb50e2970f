import { headerOf, isKeyScheme } from '@contract-first/service/facts';
import { dig, entriesOf, listOf } from '../common/json.ts';
import { isSafe, keyPrefix } from '../contract/document.ts';
import { operationsIn } from '../contract/parse.ts';
import { type OperationSecurity, schemeOf, schemesOf, securityOf, sentInWords } from '../contract/security.ts';
import { type Draft, isObject, type JsonObject } from './draft.ts';

/** Where a project has its functions that verify credentials. */
const functions = 'packages/server/src/operations/verify.ts';

/**
 * Describes the security schemes, which stay as they are, and says in the texts of errors how callers send their credentials. Lint refuses what
 * the server cannot check.
 */
export function completeSecurity(draft: Draft): void {
  const { components, document } = draft;
  for (const { key, operation } of operationsIn(document)) {
    if (!isObject(operation)) continue;
    // The document keeps one requirement only.
    const shared = listOf(document['security']);
    if (shared.length > 1 || shared.flatMap(entriesOf).length > 1)
      operation['security'] ??= structuredClone(document['security'] ?? []);
    keepOneScheme(draft, operation, key);
    checkOneTogether(draft, operation, key);
  }
  keepOneScheme(draft, document);
  checkOneTogether(draft, document);
  const [first] = listOf(document['security']).filter(isObject);
  if (!draft.isOurs && first !== undefined) document['security'] = [first];
  const schemes = Object.entries(schemesOf(document));
  draft.hasKeys = draft.isOurs || schemes.some(([, scheme]) => isKeyScheme(scheme));
  if (draft.isOurs || schemes.length === 0) return;
  for (const [name, scheme] of schemes) {
    const written = dig(components, 'securitySchemes', name);
    if (isObject(written)) written['description'] ??= `${sentInWords(scheme, isKeyScheme(scheme))}.`;
    draft.note(
      isKeyScheme(scheme)
        ? `The scheme ${name}: callers send a key of the service as ${sentInWords(scheme, true)}, unless ${functions} has a function for it.`
        : `The scheme ${name} needs a function in ${functions}. Until it is written, a test server accepts a key of the service as ${sentInWords(scheme, true)}, and a live server does not start.`,
    );
  }
  if (keyPrefix(document) === undefined) document['x-key-prefix'] = draft.keyPrefix;
  const isKey = schemes.every(([, scheme]) => isKeyScheme(scheme));
  const how = [...new Set(schemes.map(([, scheme]) => sentInWords(scheme, isKey)))].join(' or ');
  describeCode(draft, 'api_key_missing', {
    cause: `The request has no ${isKey ? 'API key' : 'credentials'}.`,
    action: `Send ${how}.`,
  });
  if (isKey) return;
  describeCode(draft, 'api_key_invalid', {
    cause: 'The credentials are incomplete, unknown, expired or revoked.',
    action: 'Check the credentials and the server, or get new ones.',
  });
  describeCode(draft, 'insufficient_scope', {
    cause: 'The credentials lack a scope that the operation needs.',
    action: 'Use credentials with the scope that `WWW-Authenticate` names.',
  });
}

function describeCode({ components }: Draft, code: string, texts: { cause: string; action: string }): void {
  const row = dig(components, 'schemas', 'ErrorCode', 'x-codes', code);
  if (isObject(row)) Object.assign(row, texts);
}

/**
 * Keeps one of several security schemes that callers may choose from, because the server checks one. It keeps none of those that it cannot
 * check if credentials are optional.
 */
function keepOneScheme(draft: Draft, holder: JsonObject, key?: string): void {
  const given = Array.isArray(holder['security']) ? holder['security'] : [];
  const known = (requirement: unknown) =>
    entriesOf(requirement).map(([name]) => schemeOf(dig(draft.components, 'securitySchemes', name)));
  const alternatives = given.filter((requirement) => entriesOf(requirement).length > 0);
  const checked = alternatives.filter((requirement) => known(requirement).some(Boolean));
  const alone = checked.filter((requirement) => known(requirement).length === 1);
  const [kept] = [
    ...alone.filter((requirement) => known(requirement).some((one) => one && isKeyScheme(one))),
    ...alone,
    ...checked,
  ];
  const isOptional = alternatives.length < given.length;
  if (draft.isOurs || given.length < 2 || (kept === undefined ? !isOptional : alternatives.length < 2)) return;
  holder['security'] = given.filter((requirement) => requirement === kept || entriesOf(requirement).length === 0);
  const name = Object.keys(Object(kept)).find((one) => schemeOf(dig(draft.components, 'securitySchemes', one)));
  if (key !== undefined) draft.change(`Of several security schemes, the server checks ${name ?? 'none'}.`, key);
}

/** Of the schemes that are needed together, the server checks one. The headers of the others become parameters of the operation. */
function checkOneTogether(draft: Draft, holder: JsonObject, key?: string): void {
  const requirements = listOf(holder['security']);
  const [given, ...others] = requirements.filter((requirement) => entriesOf(requirement).length > 0);
  const all = entriesOf(given).map(([name]) => name);
  const schemeIn = (name: string) => schemeOf(dig(draft.components, 'securitySchemes', name));
  const names = all.filter(schemeIn);
  const unread = all.filter((name) => !schemeIn(name));
  if (draft.isOurs || others.length > 0 || all.length < 2 || names.length === 0) return;
  const isToken = (name: string) => schemeIn(name)?.type !== 'apiKey';
  const kept = names.find(isToken) ?? names.find((name) => /secret|key|token/i.test(name)) ?? String(names[0]);
  const one = { [kept]: Object(dig(given, kept)) };
  holder['security'] = requirements.map((requirement) => (requirement === given ? one : {}));
  draft.note(
    `Of schemes that are needed together, the server checks ${kept}. Your code checks the headers of the others, which are parameters.${unread.map((name) => ` Nothing checks ${name}.`).join('')}`,
  );
  if (key === undefined) return;
  if (unread.length > 0) draft.changed.add(key);
  const own = Array.isArray(holder['parameters']) ? holder['parameters'] : [];
  const known = own.map((one) => dig(draft.resolve(one), 'name'));
  const headers = names.filter((name) => name !== kept).flatMap((name) => schemeIn(name) ?? []);
  const added = headers.map(headerOf).filter((name) => !known.includes(name));
  const sent = { in: 'header', required: requirements.length === 1, schema: { type: 'string' } };
  holder['parameters'] = [...own, ...added.map((name) => ({ ...sent, name }))];
}

/** What an operation asks for. */
export function readSecurity(draft: Draft, key: string, method: string, operation: JsonObject): OperationSecurity {
  const security = securityOf(draft.document, operation);
  if (!security.needsCredentials && !isSafe(method) && !draft.isOurs) {
    draft.note('These operations write, and need no credentials.', key);
  }
  return security;
}

/** The first letters of a name, or the beginning of its only word, for the prefix of keys. */
export function prefixOf(id: string): string {
  const words = id
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const letters = words.length > 1 ? words.map(([first = '']) => first).join('') : (words[0] ?? '').slice(0, 3);
  return letters.slice(0, 12) || 'key';
}
