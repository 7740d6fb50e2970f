import { dig, listOf } from '../common/json.ts';
import { joinWords, memberNames, methodNameOf, pathOf, takenNames } from '../contract/method-names.ts';
import { operationsIn } from '../contract/parse.ts';
import { type Draft, isObject, type JsonObject, objectIn } from './draft.ts';

/** The operationId, summary, description and tags of an operation. */
export function completeTexts(draft: Draft, key: string, path: string, method: string, operation: JsonObject): void {
  const words = path.split(/[^A-Za-z0-9]+/).filter(Boolean);
  const given = String(operation['operationId'] ?? [method, ...words].join(' '));
  const plain = camelCase(given).replace(/^(?=\d)/, 'operation');
  // The client has a function for the request of each operation.
  const isTaken = (choice: string) =>
    takenNames.includes(choice) || ['', 'request'].some((end) => draft.operationIds.has(choice.toLowerCase() + end));
  const name = isTaken(plain) ? freeName(`${plain}Operation`, isTaken) : plain;
  draft.operationIds.add(name.toLowerCase()).add(`${name.toLowerCase()}request`);
  if (operation['operationId'] !== name) {
    operation['operationId'] = name;
    draft.note(
      'The operationId is the name in code, in camelCase: it was missing, had another form, or is taken.',
      `${key}: ${name}`,
    );
  }
  operation['summary'] ??= sentenceOf(name).slice(0, -1);
  operation['description'] ??= String(operation['summary']).replace(/\.?$/, '.');
  if (listOf(operation['tags']).length === 0) operation['tags'] = [sentenceOf(words[0] ?? 'API').slice(0, -1)];
  const { group } = methodNameOf(operation);
  if (!/^[a-z]\w*$/i.test(group) || memberNames.includes(group)) {
    operation['tags'] = [`API ${(words[0] ?? '').replace(/^\d+/, '')}`.trim()];
    draft.note('The first tag is a name in code. One that cannot be is replaced.', key);
  }
  describeTags(draft, listOf(operation['tags']));
}

/** Adds the tags of an operation to those of the contract. */
function describeTags({ document }: Draft, tags: readonly unknown[]): void {
  const known = Array.isArray(document['tags']) ? document['tags'] : [];
  const missing = tags.filter((tag) => !known.some((one) => dig(one, 'name') === tag));
  if (missing.length === 0) return;
  document['tags'] = [...known, ...missing.map((tag) => ({ name: String(tag), description: `Operations of ${tag}.` }))];
}

export function completeWebhookNames(draft: Draft, name: string, operation: JsonObject): void {
  operation['operationId'] = camelCase(String(operation['operationId'] ?? name));
  const webhooks = objectIn(draft.document, 'webhooks');
  const item = webhooks[name];
  if (item === undefined || Object.hasOwn(webhooks, camelCase(name))) return;
  delete webhooks[name];
  webhooks[camelCase(name)] = item;
  draft.note('The name of a webhook is a name in code, in camelCase.', `${name}: ${camelCase(name)}`);
}

/** Two names that differ only by the noun of their tag, such as `getNotes` and `getNote`, would be one method of the client. */
export function completeMethodNames(draft: Draft): void {
  const taken = new Set<string>();
  const clientMethod = (operation: unknown) => pathOf(methodNameOf(operation));
  for (const { section, path, method, operation } of operationsIn(draft.document)) {
    if (section === 'webhooks' || !isObject(operation)) continue;
    const id = String(operation['operationId']);
    if (!/^[a-z][A-Za-z0-9]*$/.test(String(operation['x-method-name']))) delete operation['x-method-name'];
    if (taken.has(clientMethod(operation))) {
      const isTaken = (choice: string) => taken.has(clientMethod({ ...operation, 'x-method-name': choice }));
      const isList = method === 'get' && !path.endsWith('}') && !isTaken('list');
      operation['x-method-name'] = isList ? 'list' : freeName(id, isTaken);
      draft.note('Two methods of the client would have the same name.', `${id}: ${clientMethod(operation)}`);
    }
    taken.add(clientMethod(operation));
  }
}

/** The name itself, or the first of `name2`, `name3`, … that is free. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  for (let count = 1; ; count += 1) {
    const choice = count === 1 ? name : `${name}${count}`;
    if (!isTaken(choice)) return choice;
  }
}

/** `list-all notes` as `listAllNotes`. */
export function camelCase(text: string): string {
  const joined = joinWords(text.split(/[^A-Za-z0-9]+/).filter(Boolean));
  // An abbreviation at the beginning: `URLOf` becomes `urlOf`.
  return joined.replace(/^[A-Z]+(?=[A-Z][a-z]|[^A-Za-z]|$)|^[A-Z]/, (start) => start.toLowerCase());
}

/** A name in code as a sentence: `noteId` as `Note ID.` */
export function sentenceOf(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  const text = words.map((word) => (word.toLowerCase() === 'id' ? 'ID' : word.toLowerCase())).join(' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
