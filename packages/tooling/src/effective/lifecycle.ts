import { dig } from '../common/json.ts';
import { servedMethods } from '../contract/document.ts';
import { operationsIn } from '../contract/parse.ts';
import { type Draft, isObject, type JsonObject } from './draft.ts';
import { camelCase } from './names.ts';

/** Keeps the stability and the deprecation of operations if they have the form of the service. Others use these extensions in other ways. */
export function completeLifecycle(draft: Draft): void {
  const served = operationsIn(draft.document).filter(
    ({ section, method }) => section === 'paths' && servedMethods.some((one) => one === method),
  );
  const ids = new Set(served.map(({ id }) => camelCase(id)));
  for (const { key, operation } of served) {
    if (!isObject(operation)) continue;
    if (!draft.isOurs && operation['x-stability'] !== 'beta') delete operation['x-stability'];
    if (!draft.isOurs) keepDeprecation(draft, key, operation, ids);
    for (const name of lifecycleHeadersOf(operation)) draft.lifecycleHeaders.add(name);
  }
}

/** The headers that all responses of a beta or deprecated operation have. */
export function lifecycleHeadersOf(operation: JsonObject): string[] {
  return [
    ...(operation['x-stability'] === 'beta' ? ['X-Stability'] : []),
    ...(operation['x-deprecation'] === undefined ? [] : ['Deprecation', 'Sunset', 'Link']),
  ];
}

function keepDeprecation(draft: Draft, key: string, operation: JsonObject, ids: ReadonlySet<string>): void {
  const deprecation = operation['x-deprecation'];
  const successor = camelCase(String(dig(deprecation, 'successor') ?? ''));
  const isInstant = (name: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(String(dig(deprecation, name)));
  const isLink = /^(\/|https:\/\/)/.test(String(dig(deprecation, 'documentation')));
  if (isObject(deprecation) && isInstant('since') && isInstant('sunset') && isLink && ids.has(successor)) {
    deprecation['successor'] = successor;
    operation['deprecated'] = true;
  } else if (deprecation !== undefined) {
    delete operation['x-deprecation'];
    draft.note(
      'x-deprecation is left out: it needs since, sunset, documentation and a successor of the contract.',
      key,
    );
  }
}
