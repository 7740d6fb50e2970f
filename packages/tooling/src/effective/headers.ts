import { dig } from '../common/json.ts';
import { examplesOf } from '../contract/examples.ts';
import { sampleOf } from '../contract/sample.ts';
import { rateLimitHeaders } from '../contract/server-responses.ts';
import { handledHeaders, isOfHttp } from '../lint/rules/parameters.ts';
import { defaults } from './defaults.ts';
import { type Draft, isObject, type JsonObject, objectIn } from './draft.ts';
import { sentenceOf } from './names.ts';

/** Adds the headers of the service to a response, and moves its own to components. */
export function addHeaders(
  draft: Draft,
  response: JsonObject,
  status: string,
  isPublic: boolean,
  lifecycle: Iterable<string> = draft.lifecycleHeaders,
): void {
  const headers = objectIn(response, 'headers');
  hoist(draft, headers);
  const names = [
    ...(draft.document['x-rate-limits'] === undefined ? [] : rateLimitHeaders),
    'X-Request-Id',
    ...(isPublic || !draft.hasKeys ? [] : ['X-Key-Expires']),
    ...((status === '429' && draft.document['x-rate-limits'] !== undefined) || status === '503' ? ['Retry-After'] : []),
    ...((status === '401' || status === '403') && !isPublic ? ['WWW-Authenticate'] : []),
    ...lifecycle,
  ];
  for (const name of names) referTo(draft, name, headers);
}

/** Moves headers to components: the docs and the checks of the server only know headers under their names there. */
function hoist(draft: Draft, headers: JsonObject): void {
  const shared = objectIn(draft.components, 'headers');
  for (const [written, given] of draft.isOurs ? [] : Object.entries(headers)) {
    const header = draft.resolve(given);
    const name = handledHeaders.find((one) => one.toLowerCase() === written.toLowerCase()) ?? written;
    const known = shared[name];
    if (!isObject(header)) continue;
    if (name !== written || isOfHttp(name.toLowerCase())) delete headers[written];
    if (isOfHttp(name.toLowerCase())) continue;
    headers[name] = header;
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
  // A Link may also lead to the next page.
  if ((draft.isOurs || name === 'Link') && given.length > 0) return;
  for (const one of given) delete headers[one];
  const shared = objectIn(draft.components, 'headers');
  const ours = structuredClone(defaults.headers[name] ?? {});
  // If only callers with a key are counted, or only those without one, some responses state no quota.
  const isCounted = (part: string) => dig(draft.document, 'x-rate-limits', part) !== undefined;
  if (rateLimitHeaders.includes(name) && !['plans', 'anonymous'].every(isCounted)) ours['required'] = false;
  // An operation may return these errors as well, and the challenges of other schemes have other names.
  if (!draft.isOurs && /^(WWW-Authenticate|Retry-After)$/.test(name)) ours['required'] = false;
  if (!draft.isOurs && name === 'WWW-Authenticate') ours['schema'] = { type: 'string' };
  if (!draft.isOurs) shared[name] = ours;
  shared[name] ??= ours;
  headers[name] = { $ref: `#/components/headers/${name}` };
}
