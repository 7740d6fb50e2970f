import { dig } from '../common/json.ts';
import { examplesOf } from '../contract/examples.ts';
import { sampleOf } from '../contract/sample.ts';
import { defaults } from './defaults.ts';
import { type Draft, isObject, type JsonObject, objectIn } from './draft.ts';
import { sentenceOf } from './names.ts';

/** The headers that every response has. */
const common = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'];

/** Adds the headers of the service to a response, and moves its own to components. */
export function addHeaders(draft: Draft, response: JsonObject, status: string, isPublic: boolean): void {
  const headers = objectIn(response, 'headers');
  hoist(draft, headers);
  const names = [
    ...common,
    ...(isPublic ? [] : ['X-Key-Expires']),
    ...(status === '429' || status === '503' ? ['Retry-After'] : []),
    ...((status === '401' || status === '403') && !isPublic ? ['WWW-Authenticate'] : []),
  ];
  for (const name of names) referTo(draft, name, headers);
  // Only the 403 of the server says which scope is needed. That of an operation does not.
  if (status === '403' && names.includes('WWW-Authenticate') && !draft.isOurs) {
    const optional: JsonObject = {};
    headers['WWW-Authenticate'] = optional;
    draft.optionalChallenges.push(optional);
  }
}

/** Moves headers to components: the docs and the checks of the server only know headers under their names there. */
function hoist(draft: Draft, headers: JsonObject): void {
  const shared = objectIn(draft.components, 'headers');
  for (const [name, given] of Object.entries(headers)) {
    const header = draft.resolve(given);
    const known = shared[name];
    if (!isObject(header) || draft.isOurs) continue;
    const [example = sampleOf(draft.document, header['schema'])] = examplesOf(header);
    header['example'] = String(example);
    // Another header of the same name stays where it is.
    if (known !== undefined && known !== header && rulesOf(known) !== rulesOf(header)) continue;
    shared[name] ??= { description: sentenceOf(name), ...header };
    headers[name] = { $ref: `#/components/headers/${name}` };
  }
}

/** What a header may be, without its texts. */
function rulesOf(header: unknown): string {
  return JSON.stringify([dig(header, 'schema'), dig(header, 'required') === true]);
}

/** Adds a header of the service. One of the contract with the same name would describe other values. */
export function referTo(draft: Draft, name: string, headers: JsonObject): void {
  const given = Object.keys(headers).filter((one) => one.toLowerCase() === name.toLowerCase());
  if (draft.isOurs && given.length > 0) return;
  for (const one of given) delete headers[one];
  const shared = objectIn(draft.components, 'headers');
  if (!draft.isOurs) shared[name] = structuredClone(defaults.headers[name] ?? {});
  shared[name] ??= structuredClone(defaults.headers[name] ?? {});
  headers[name] = { $ref: `#/components/headers/${name}` };
}
