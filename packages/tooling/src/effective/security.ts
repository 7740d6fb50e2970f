import { dig, entriesOf, listOf } from '../common/json.ts';
import type { Draft, JsonObject } from './draft.ts';

/** Replaces the security schemes of the contract by API keys with scopes. */
export function completeSecurity(draft: Draft): void {
  if (hasScopes(draft)) return;
  const { components, document } = draft;
  const prefix = prefixOf(draft.id);
  const schemes = entriesOf(components['securitySchemes']).map(
    ([name, scheme]) => `${name} (${[dig(scheme, 'type'), dig(scheme, 'scheme')].filter(Boolean).join(' ')})`,
  );
  components['securitySchemes'] = {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: `${prefix}_live_… or ${prefix}_test_…`,
      description: 'Your API key: `Authorization: Bearer <API_KEY>`.',
      'x-scopes': { read: 'Reading.', write: 'Everything that `read` allows, plus all changes.' },
    },
  };
  document['security'] = [{ apiKey: ['read'] }];
  if (schemes.length > 0) {
    draft.note(
      `Callers send an API key of the service, "Authorization: Bearer ${prefix}_live_…", in place of ${schemes.join(' and ')}.`,
    );
  }
}

/** Sets the scope that an operation needs. Returns whether it needs no key. */
export function completeAccess(draft: Draft, key: string, method: string, operation: JsonObject): boolean {
  const choices = listOf(operation['security'] ?? draft.document['security']);
  const isPublic = choices.length === 0 || choices.some((choice) => entriesOf(choice).length === 0);
  if (isPublic && method !== 'get' && !hasScopes(draft)) draft.note('These operations write, and need no key.', key);
  if (!hasScopes(draft)) operation['security'] = isPublic ? [] : [{ apiKey: [method === 'get' ? 'read' : 'write'] }];
  return isPublic;
}

/** Whether the contract has the API keys of the service. */
function hasScopes({ components }: Draft): boolean {
  return dig(components, 'securitySchemes', 'apiKey', 'x-scopes') !== undefined;
}

/** The first letters of a name, or the beginning of its only word, for the prefix of keys. */
function prefixOf(id: string): string {
  const words = id
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const letters = words.length > 1 ? words.map(([first = '']) => first).join('') : (words[0] ?? '').slice(0, 3);
  return letters.slice(0, 12) || 'key';
}
