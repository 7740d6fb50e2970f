/** Contracts with one mistake each, and what lint reports about it. */
import { keysOf } from './redocly.ts';

/** One change to a copy of the contract, at a JSON pointer. */
export type Edit = { at: string; apply: (contract: object) => void };

/** The real contract with one mistake; `at` is the JSON pointer of the finding. */
export type BrokenCase = { rule: string; when: string; edits: readonly Edit[]; says: string; at: string };

/** The contract in an unusual form that is valid: lint must not report anything. */
export type SoundCase = { when: string; edits: readonly Edit[] };

const list = '/paths/~1pets/get';
const create = '/paths/~1pets/post';
const getPet = '/paths/~1pets~1{petId}/get';
const deprecation = `${getPet}/x-deprecation`;
const responses = '/components/responses';
const json = 'content/application~1json';
const notFound = `${responses}/PetNotFound`;
const notFoundExample = `${notFound}/${json}/examples/notFound`;
const errorCode = '/components/schemas/ErrorCode';
const rateLimited = `${errorCode}/x-codes/rate_limited`;
const limits = '/x-rate-limits';
const order = '/components/schemas/Order/properties/createdAt';
const rateLimitHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'];
const stabilityHeader = set(`${create}/responses/201/headers/X-Stability`, {
  $ref: '#/components/headers/X-Stability',
});
const servers = [{ url: 'https://other.animal-store.example/v1', description: 'Another one' }];

export const brokenCases: readonly BrokenCase[] = [
  // Operations.
  broken('operation-operationId', 'no operationId', remove(`${create}/operationId`), 'should contain `operationId`'),
  broken('operation-summary', 'an empty summary', set(`${list}/summary`, ''), 'must be non-empty'),
  ...['create_pet', 'CreatePet'].map((id) =>
    broken('rule/operation-id-is-camel-case', id, set(`${create}/operationId`, id), `like listPets. "${id}"`),
  ),
  ...['401', '429', '431', '500', '503'].map((status) =>
    missing('rule/operation-documents-common-responses', `${list}/responses`, status, `missing response: ${status}`),
  ),
  missing('rule/operation-with-parameters-documents-400', `${list}/responses`, '400', 'missing response: 400'),
  ...['408', '413', '415'].map((status) =>
    missing('rule/operation-with-body-documents-its-errors', `${create}/responses`, status, `response: ${status}`),
  ),
  missing('rule/body-has-example', `${create}/requestBody/${json}`, 'examples', 'Should have any of example'),
  missing('rule/body-has-example', `${responses}/BadRequest/${json}`, 'examples', 'Add one.'),
  broken(
    'rule/body-examples-not-empty',
    'examples without an entry',
    set(`${list}/responses/200/${json}/examples`, {}),
    'Add one under examples.',
  ),
  broken(
    'rule/example-has-value',
    'an example on another server',
    set(`${list}/responses/200/${json}/examples/page`, { externalValue: 'https://animal-store.example/page.json' }),
    'write the example into the contract: value is required',
  ),

  // Responses.
  ...rateLimitHeaders.flatMap((header) =>
    [`${list}/responses/200/headers`, `${responses}/ServiceUnavailable/headers`].map((headers) =>
      missing('response-contains-header', headers, header, `must contain a "${header}" header`),
    ),
  ),
  broken(
    'response-contains-header',
    'a default response without X-Request-Id',
    [
      remove(`${responses}/InternalServerError/headers/X-Request-Id`),
      set(`${list}/responses/default`, { $ref: `#${responses}/InternalServerError` }),
    ],
    'must contain a "X-Request-Id" header',
    `${responses}/InternalServerError/headers`,
  ),
  broken(
    'rule/response-201-has-location',
    'a 201 without Location',
    [
      remove(`${create}/responses/201/headers/Location`),
      // Kept in use, so that only the 201 is wrong.
      set(`${list}/responses/200/headers/Location`, { $ref: '#/components/headers/Location' }),
    ],
    'Document its header Location',
    `${create}/responses/201/headers`,
  ),
  broken(
    'rule/response-401-has-www-authenticate',
    'a 401 without WWW-Authenticate',
    [
      copy(`${responses}/Unauthorized`, `${list}/responses/401`),
      remove(`${list}/responses/401/headers/WWW-Authenticate`),
    ],
    'Document its header WWW-Authenticate',
    `${list}/responses/401/headers`,
  ),
  broken(
    'rule/response-401-has-www-authenticate',
    'a shared 401 without it that lint has visited under another status before',
    [
      copy(`${responses}/Unauthorized`, `${list}/responses/401`),
      set(`${list}/responses/4XX`, { $ref: `#${responses}/Unauthorized` }),
      remove(`${responses}/Unauthorized/headers/WWW-Authenticate`),
    ],
    'Document its header WWW-Authenticate',
    `${responses}/Unauthorized/headers`,
  ),
  ...['TooManyRequests', 'ServiceUnavailable'].map((name) =>
    missing(
      'rule/response-429-and-503-have-retry-after',
      `${responses}/${name}/headers`,
      'Retry-After',
      'header Retry-After',
    ),
  ),

  // Deprecation.
  broken(
    'rule/deprecated-has-x-deprecation',
    'a deprecated operation without x-deprecation',
    remove(deprecation),
    'defined',
  ),
  ...['since', 'sunset', 'successor', 'documentation'].map((name) =>
    missing('rule/deprecated-has-x-deprecation', deprecation, name),
  ),
  broken(
    'rule/deprecated-has-x-deprecation',
    'a date without a time of day',
    set(`${deprecation}/sunset`, '2030-12-05'),
    'UTC, like 2030-12-05T00:00:00Z',
  ),
  broken(
    'rule/deprecated-has-x-deprecation',
    'documentation that is not a URL',
    set(`${deprecation}/documentation`, 'ask us'),
    'a path or an https URL',
  ),
  ...[remove(`${getPet}/deprecated`), set(`${getPet}/deprecated`, false)].map((edit, index) =>
    broken(
      'rule/x-deprecation-needs-deprecated',
      `x-deprecation, but deprecated is ${index === 0 ? 'missing' : 'false'}`,
      edit,
      'Add "deprecated: true"',
    ),
  ),
  ...['Deprecation', 'Sunset', 'Link'].flatMap((header) =>
    [`${getPet}/responses/200/headers`, `${responses}/BadRequest/headers`].map((headers) =>
      missing('rule/deprecated-responses-have-headers', headers, header),
    ),
  ),
  broken(
    'animal-store/deprecation-dates',
    'a sunset at the start of the deprecation',
    set(`${deprecation}/since`, '2030-12-05T00:00:00Z'),
    'is not after since 2030-12-05T00:00:00Z. Give it a later date.',
    `${deprecation}/sunset`,
  ),
  broken(
    'animal-store/deprecation-dates',
    'a sunset in the past',
    [
      set(`${deprecation}/sunset`, '2026-11-20T11:59:59Z'),
      set(`${deprecation}/since`, '2025-11-20T00:00:00Z'),
      set(`${getPet}/description`, 'Removed on 20 November 2026.'),
    ],
    'The sunset 2026-11-20T11:59:59Z is past. Remove the operation, or give it a later sunset.',
  ),
  broken(
    'animal-store/deprecation-dates',
    'a sunset on a day that does not exist',
    set(`${deprecation}/sunset`, '2031-02-29T00:00:00Z'),
    'The date 2031-02-29T00:00:00Z does not exist.',
  ),
  broken(
    'animal-store/deprecation-dates',
    'a start at an hour that does not exist',
    set(`${deprecation}/since`, '2026-11-20T25:00:00Z'),
    'Give since a date that exists.',
  ),
  broken(
    'animal-store/deprecation-description',
    'a description with another day than the sunset',
    set(`${deprecation}/sunset`, '2030-12-06T00:00:00Z'),
    'Write it like this: 6 December 2030.',
    `${getPet}/description`,
  ),
  ...['findPets', 'getPet'].map((id) =>
    broken(
      'animal-store/deprecation-successor',
      `the successor ${id}`,
      set(`${deprecation}/successor`, id),
      `"${id}" is not an operation, or is deprecated. Name one that stays: `,
    ),
  ),

  // Stability.
  broken(
    'rule/stability-is-beta',
    'another stability than beta',
    [set(`${create}/x-stability`, 'alpha'), stabilityHeader],
    'one value, beta',
  ),
  broken(
    'rule/beta-responses-have-header',
    'a response of a beta operation without X-Stability',
    set(`${create}/x-stability`, 'beta'),
    'carries X-Stability',
    `${create}/responses/201/headers`,
  ),
  broken(
    'rule/beta-responses-have-header',
    'a shared response of a beta operation without X-Stability',
    [set(`${create}/x-stability`, 'beta'), stabilityHeader, remove(`${responses}/ContentTooLarge/headers/X-Stability`)],
    'carries X-Stability',
    `${responses}/ContentTooLarge/headers`,
  ),

  // Growth.
  broken(
    'animal-store/ref-stands-alone',
    'a bound beside a reference',
    set('/components/schemas/NewPet/properties/categoryId/maximum', 10),
    'maximum is beside a $ref.',
  ),
  broken(
    'rule/servers-stand-at-the-top',
    'servers of an operation',
    set(`${list}/servers`, servers),
    'Remove servers here.',
  ),
  broken('rule/paths-have-no-servers', 'servers of a path', set('/paths/~1pets/servers', servers), 'Remove servers'),

  // Errors.
  broken('rule/error-response-is-json', 'an error without a body', remove(`${notFound}/content`), 'application/json.'),
  broken(
    'rule/error-response-is-json',
    'an error of another media type',
    [
      copy(`${notFound}/${json}`, `${notFound}/content/application~1problem+json`),
      remove(`${notFound}/content/application~1json`),
    ],
    'Document it under content, application/json.',
    `${notFound}/content`,
  ),
  broken(
    'rule/error-body-is-error',
    'an error with a schema of its own',
    copy('/components/schemas/Error', `${notFound}/${json}/schema`),
    "Write schema: { $ref: '#/components/schemas/Error' }.",
  ),
  ...['x-codes', 'enum'].map((name) => missing('rule/error-code-has-x-codes', errorCode, name, `${name} is required`)),
  ...['status', 'cause', 'action'].map((name) => missing('rule/error-rows-are-complete', rateLimited, name)),
  broken('rule/error-rows-are-complete', 'an empty action', set(`${rateLimited}/action`, ''), 'the action that helps.'),
  broken(
    'rule/error-rows-are-complete',
    'a status that is not an error',
    set(`${errorCode}/x-codes/method_not_allowed/status`, 204),
    'must be >= 400',
  ),
  broken(
    'animal-store/error-codes',
    'a code without a row',
    remove(`${errorCode}/x-codes/route_not_found`),
    'Add a row for "route_not_found" under x-codes.',
    `${errorCode}/enum/5`,
  ),
  broken(
    'animal-store/error-codes',
    'a row without a code',
    remove(`${errorCode}/enum/5`),
    'Add "route_not_found" to the enum of ErrorCode.',
    `${errorCode}/x-codes/route_not_found`,
  ),
  broken(
    'no-invalid-media-type-examples',
    'an example with an unknown code',
    set(`${notFoundExample}/value/code`, 'no_such_pet'),
    'must be equal to one of the allowed values',
  ),
  broken(
    'animal-store/error-examples',
    'an example with another status than the row of its code',
    set(`${errorCode}/x-codes/pet_not_found/status`, 410),
    '"pet_not_found" has the status 410 in x-codes. Use it here, or another code.',
    `${notFoundExample}/value/status`,
  ),
  broken(
    'animal-store/error-examples',
    'an example with another status than its response',
    set(`${list}/responses/409`, { $ref: `#${notFound}` }),
    'This is an example of the response 409. Give it that status, not 404.',
    `${notFoundExample}/value/status`,
  ),
  broken(
    'animal-store/error-examples',
    'a single example, without a name, with a wrong status',
    [
      copy(`${notFoundExample}/value`, `${notFound}/${json}/example`),
      remove(`${notFound}/${json}/examples`),
      set(`${errorCode}/x-codes/pet_not_found/status`, 410),
    ],
    '"pet_not_found" has the status 410 in x-codes.',
    `${notFound}/${json}/example/status`,
  ),
  broken(
    'animal-store/error-examples',
    'an example of the components with a wrong status',
    [
      set('/components/examples', {}),
      copy(notFoundExample, '/components/examples/notFound'),
      set(notFoundExample, { $ref: '#/components/examples/notFound' }),
      set(`${errorCode}/x-codes/pet_not_found/status`, 410),
    ],
    '"pet_not_found" has the status 410 in x-codes.',
    '/components/examples/notFound/value/status',
  ),

  // Quotas and limits.
  broken('rule/rate-limits-are-complete', 'no quotas', remove(limits), 'needs the plans free, pro and business'),
  ...[
    ['', ['plans', 'anonymous', 'ban']],
    ['/plans', ['free', 'pro', 'business', 'enterprise']],
    ...['/plans/free', '/plans/pro', '/plans/business', '/anonymous'].map((group) => [group, ['perMinute', 'perDay']]),
    ['/plans/enterprise', ['custom']],
    ['/ban', ['graceSeconds', 'toleratedRefusals', 'firstSeconds', 'factor', 'maximumSeconds', 'forgetAfterSeconds']],
  ].flatMap(([group, names]) =>
    [names ?? []].flat().map((name) => missing('rule/rate-limits-are-complete', `${limits}${group}`, name)),
  ),
  wrongLimit('/plans/free/perMinute', 0, 'must be >= 1'),
  wrongLimit('/plans/pro/perDay', 10_000.5, 'must be integer'),
  wrongLimit('/plans/business/perMinute', '1000', 'must be integer'),
  wrongLimit('/plans/enterprise/custom', false, 'must be equal to constant'),
  wrongLimit('/ban/factor', 0, 'must be >= 1'),
  wrongLimit('/ban/graceSeconds', '60', 'must be integer'),
  wrongLimit('/anonymous/perMinute', -60, 'must be >= 1'),
  broken('rule/limits-are-positive', 'a limit of 0', set('/x-limits/bodyBytes', 0), 'whole and at least 1'),
  broken('rule/limits-are-positive', 'no limits', remove('/x-limits'), 'Should be defined'),
  tooLarge('plans/pro/perMinute', 10_001, 'perDay'),
  tooLarge('anonymous/perMinute', 1001, 'perDay'),
  tooLarge('ban/firstSeconds', 3601, 'maximumSeconds'),

  // Reference.
  missing('rule/header-is-described', '/components/headers/Retry-After', 'description', 'Describe it'),
  missing('rule/header-is-described', '/components/headers/Retry-After', 'example', 'give an example'),
  missing('rule/property-is-described', order, 'description', 'Describe it'),
  missing('rule/property-is-described', '/components/schemas/PetName', 'description', 'Describe it'),
];

export const soundCases: readonly SoundCase[] = [
  { when: 'the contract itself', edits: [] },
  { when: 'nothing is deprecated', edits: [remove(`${getPet}/deprecated`), remove(deprecation)] },
  {
    when: 'an operation that is not deprecated has no Deprecation, Sunset and Link',
    // createPet alone has a 413.
    edits: ['Deprecation', 'Sunset', 'Link'].map((header) => remove(`${responses}/ContentTooLarge/headers/${header}`)),
  },
  {
    when: 'the sunset is one second away, and the documentation on another server',
    edits: [
      set(`${deprecation}/since`, '2026-11-20T11:59:59Z'),
      set(`${deprecation}/sunset`, '2026-11-20T12:00:01Z'),
      set(`${getPet}/description`, 'Removed on 20 November 2026.'),
      set(`${deprecation}/documentation`, 'https://animal-store.example/news'),
    ],
  },
  { when: 'a response is for a range of statuses', edits: [set(`${list}/responses/4XX`, { $ref: `#${notFound}` })] },
  {
    when: 'a response has no body and no example, as a 204',
    edits: [copy(`${list}/responses/200`, `${list}/responses/204`), remove(`${list}/responses/204/content`)],
  },
  {
    when: 'a body has one example without a name',
    edits: [copy(`${notFoundExample}/value`, `${notFound}/${json}/example`), remove(`${notFound}/${json}/examples`)],
  },
  {
    when: 'a plan has the same quota per minute and per day',
    edits: [set(`${limits}/plans/free/perDay`, 60)],
  },
];

/** A copy of the contract with the edits made. */
export function edited(contract: object, edits: readonly Edit[]): object {
  const result = structuredClone(contract);
  for (const { apply } of edits) apply(result);
  return result;
}

/** @param at the pointer of the finding, by default that of the first edit */
function broken(rule: string, when: string, edits: Edit | Edit[], says: string, at?: string): BrokenCase {
  const all = [edits].flat();
  return { rule, when, edits: all, says, at: `#${at ?? all[0]?.at}` };
}

function missing(rule: string, parent: string, name: string, says = `must have required property '${name}'`) {
  return broken(rule, `${parent} has no ${name}`, remove(`${parent}/${name}`), says, parent);
}

function wrongLimit(path: string, value: unknown, says: string): BrokenCase {
  return broken(
    'rule/rate-limits-are-complete',
    `${path} is ${JSON.stringify(value)}`,
    set(`${limits}${path}`, value),
    says,
  );
}

function tooLarge(path: string, value: number, than: string): BrokenCase {
  const says = `${path.split('/').at(-1)} (${value}) is larger than ${than}`;
  return broken('animal-store/rate-limit-order', `${path} is ${value}`, set(`${limits}/${path}`, value), says);
}

function remove(pointer: string): Edit {
  return edit(pointer, (parent, key) => {
    if (!(key in parent)) throw new Error(`There is nothing to remove at ${pointer}.`);
    if (Array.isArray(parent)) parent.splice(Number(key), 1);
    else Reflect.deleteProperty(parent, key);
  });
}

function set(pointer: string, value: unknown): Edit {
  return edit(pointer, (parent, key) => Reflect.set(parent, key, value));
}

function copy(from: string, to: string): Edit {
  const apply = (contract: object) => {
    const { parent, key } = find(contract, from);
    set(to, structuredClone(Reflect.get(parent, key))).apply(contract);
  };
  return { at: to, apply };
}

function edit(at: string, change: (parent: object, key: string) => void): Edit {
  const apply = (contract: object) => {
    const { parent, key } = find(contract, at);
    change(parent, key);
  };
  return { at, apply };
}

function find(contract: object, pointer: string): { parent: object; key: string } {
  const keys = keysOf(`#${pointer}`);
  const key = keys.pop() ?? '';
  const parent = keys.reduce<object>((node, step) => {
    const child: unknown = Reflect.get(node, step);
    if (typeof child !== 'object' || child === null) throw new Error(`${pointer} ends at ${step}.`);
    return child;
  }, contract);
  return { parent, key };
}
