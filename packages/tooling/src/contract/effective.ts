import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { join } from 'node:path';
import { parse } from 'yaml';
import { dig, entriesOf, listOf } from '../common/json.ts';
import { type ContractDocument, kindOf, resolve, servedMethods } from './document.ts';
import { methodNameOf, pathOf } from './method-names.ts';
import { operationsIn, withoutUnused } from './parse.ts';
import { sampleOf } from './sample.ts';
import { type OperationTraits, serverResponses } from './server-responses.ts';

type Json = string | number | boolean | null | Json[] | JsonObject;
type JsonObject = { [key: string]: Json };

/** The effective contract: the one that is served, generated from, and published. */
export type Effective = {
  document: ContractDocument;
  /** What was added or replaced, each with the operations that it concerns; none if it concerns the whole contract. */
  changes: Map<string, string[]>;
  /** The paths as they were given, by those that were changed. */
  givenPaths: Map<string, string>;
};

type Defaults = {
  rateLimits: Json;
  limits: JsonObject;
  headers: Record<string, JsonObject>;
  schemas: JsonObject;
  codes: Record<string, { status: number; cause: string; action: string }>;
};

const defaults: Defaults = parse(readFileSync(join(import.meta.dirname, 'defaults.yaml'), 'utf8'));

/** Statuses that the server itself explains, so an operation needs no code of its own. */
const explained = new Set(['400', '401', '408', '413', '415', '429', '431', '500', '503']);

/** The headers that every response has. */
const common = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'];

/**
 * The contract with what the service adds to every API: headers, error responses, quotas, limits, and an example of each body. A
 * contract that has all of this stays as it is.
 *
 * @param given a contract in one file, as `redocly bundle` writes it
 * @param id the name of the project, such as `tree-nursery`
 */
export function effectiveContract(given: JsonObject, id: string): Effective {
  return new Completion(structuredClone(given), id).run();
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

class Completion {
  readonly #document: JsonObject;
  readonly #id: string;
  readonly #components: JsonObject;
  readonly #changes = new Map<string, string[]>();
  readonly #givenPaths = new Map<string, string>();
  /** The headers that were moved to components. */
  readonly #hoisted = new Set<string>();
  /** Whether the contract was written for the service. */
  readonly #isOurs: boolean;
  /** Error responses by their codes. */
  readonly #responses = new Map<string, string>();

  constructor(document: JsonObject, id: string) {
    this.#document = document;
    this.#id = id;
    this.#components = objectIn(document, 'components');
    this.#isOurs = dig(this.#components, 'schemas', 'ErrorCode', 'x-codes') !== undefined;
  }

  run(): Effective {
    const before = JSON.stringify(this.#document);
    if (removeEmptyEnums(this.#document))
      this.#note('An enum without values is left out, because nothing would be valid.');
    this.#completeRoot();
    this.#completeErrors();
    this.#completePaths();
    for (const { key, section, path, method, operation } of operationsIn(this.#document)) {
      if (!isObject(operation)) continue;
      const item = dig(this.#document, 'paths', path);
      if (section === 'webhooks') this.#completeWebhook(key, path, operation);
      else if (servedMethods.some((served) => served === method) && isObject(item)) {
        this.#completeOperation(key, method, path, item, operation);
      }
    }
    this.#completeSecurity();
    this.#completeMethodNames();
    const document = JSON.parse(JSON.stringify(this.#document));
    return {
      document: JSON.stringify(document) === before ? document : withoutUnused(document),
      changes: this.#changes,
      givenPaths: this.#givenPaths,
    };
  }

  #note(change: string, operation?: string): void {
    const concerned = this.#changes.get(change) ?? [];
    this.#changes.set(change, operation === undefined ? concerned : [...concerned, operation]);
  }

  #completeRoot(): void {
    const document = this.#document;
    const info = objectIn(document, 'info');
    const title = String(info['title'] ?? this.#id);
    info['description'] ??= `The API of ${title}.`;
    info['summary'] ??=
      /^.{1,200}?[.!?](?=\s|$)/.exec(String(info['description']).replaceAll(/\s+/g, ' '))?.[0] ?? title;
    objectIn(info, 'contact')['name'] ??= title;
    if (listOf(document['servers']).length === 0) {
      document['servers'] = [{ url: 'http://127.0.0.1:3000', description: 'Your own machine, after npm start' }];
      this.#note('The contract names no server, so docs and samples use http://127.0.0.1:3000.');
    }
    const servers = listOf(document['servers']).filter(isObject);
    const paths = servers.map(pathOfServer);
    const path = paths.find((one) => /^[\w.~/-]*$/.test(one)) ?? paths[0];
    const same = servers.filter((_, index) => paths[index] === path);
    if (same.length < servers.length) {
      document['servers'] = same;
      this.#note(
        `All operations are served under one base path, ${path === '' ? '/' : path}: servers with another path are left out.`,
      );
    }
    for (const server of same) server['description'] ??= String(server['url']);
    if (document['x-rate-limits'] === undefined) {
      document['x-rate-limits'] = structuredClone(defaults.rateLimits);
      this.#note(
        'x-rate-limits is missing: each key has the plan standard, with 1,000 requests per minute and 100,000 per day.',
      );
    }
    const limits = objectIn(document, 'x-limits');
    for (const [name, limit] of Object.entries(defaults.limits)) limits[name] ??= limit;
  }

  #completeSecurity(): void {
    const known = dig(this.#components, 'securitySchemes', 'apiKey');
    if (dig(known, 'x-scopes') !== undefined) return;
    const prefix = prefixOf(this.#id);
    const schemes = entriesOf(this.#components['securitySchemes']).map(
      ([name, scheme]) => `${name} (${[dig(scheme, 'type'), dig(scheme, 'scheme')].filter(Boolean).join(' ')})`,
    );
    this.#components['securitySchemes'] = {
      apiKey: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: `${prefix}_live_… or ${prefix}_test_…`,
        description: 'Your API key: `Authorization: Bearer <API_KEY>`.',
        'x-scopes': { read: 'Reading.', write: 'Everything that `read` allows, plus all changes.' },
      },
    };
    this.#document['security'] = [{ apiKey: ['read'] }];
    if (schemes.length > 0) {
      this.#note(
        `Callers send an API key of the service, "Authorization: Bearer ${prefix}_live_…", in place of ${schemes.join(' and ')}.`,
      );
    }
  }

  /** The names of path parameters are names in code, and the same at the same place of all paths. Callers do not see them. */
  #completePaths(): void {
    const paths = objectIn(this.#document, 'paths');
    const entries = Object.entries(paths);
    const known = new Map<string, string>();
    const renamed = entries.map(([path]) => pathWithNames(path, known));
    if (renamed.every(({ path }, index) => path === entries[index]?.[0])) return;
    this.#note('The names of path parameters are names in code, and the same in every path.');
    for (const [path] of entries) delete paths[path];
    for (const [index, [given, item]] of entries.entries()) {
      const { path, names } = renamed[index] ?? { path: given, names: new Map<string, string>() };
      for (const holder of [item, ...entriesOf(item).map(([, operation]) => operation)]) {
        if (!isObject(holder) || !Array.isArray(holder['parameters'])) continue;
        holder['parameters'] = holder['parameters'].map((reference) => {
          const parameter = this.#resolve(reference);
          const name =
            isObject(parameter) && parameter['in'] === 'path' ? names.get(String(parameter['name'])) : undefined;
          return name !== undefined && isObject(parameter) && name !== parameter['name']
            ? { ...structuredClone(parameter), name }
            : reference;
        });
      }
      paths[path] = item;
      this.#givenPaths.set(path, given);
    }
  }

  #completeErrors(): void {
    const schemas = objectIn(this.#components, 'schemas');
    if (this.#isOurs) return;
    for (const name of ['Error', 'ErrorDetail', 'ErrorCode']) this.#renameSchema(name);
    const errorCode: JsonObject = {
      type: 'string',
      description: 'Error code, for programs. A release may add codes, but never removes or reuses one.',
      enum: Object.keys(defaults.codes),
      example: 'invalid_request',
      'x-codes': structuredClone(defaults.codes),
    };
    Object.assign(schemas, structuredClone(defaults.schemas), { ErrorCode: errorCode });
    this.#note('Every error is JSON with code, message and status, and details about an invalid request.');
  }

  /** A schema of the contract that has the name of one of the service. */
  #renameSchema(name: string): void {
    const schemas = objectIn(this.#components, 'schemas');
    const own = schemas[name];
    if (own === undefined) return;
    delete schemas[name];
    const renamed = `Own${name}`;
    schemas[renamed] = own;
    replaceReferences(this.#document, `#/components/schemas/${name}`, `#/components/schemas/${renamed}`);
    this.#note(`The schema ${name} is called ${renamed}, because the errors of the service have that name.`);
  }

  #completeOperation(key: string, method: string, path: string, item: JsonObject, operation: JsonObject): void {
    const isPublic = this.#completeAccess(method, operation);
    this.#completeTexts(key, path, method, operation);
    for (const part of ['callbacks', 'servers'].filter((name) => name in operation)) {
      delete operation[part];
      this.#note(
        `${part} of operations are left out: the server sends no requests, and serves all operations at one address.`,
        key,
      );
    }
    const parameters = [...listOf(item['parameters']), ...listOf(operation['parameters'])].map((part) =>
      this.#resolve(part),
    );
    for (const parameter of parameters) {
      if (isObject(parameter)) parameter['description'] ??= sentenceOf(String(parameter['name']));
    }
    const body = this.#resolve(operation['requestBody']);
    if (isObject(body)) {
      body['description'] ??= 'The body of the request.';
      this.#completeContent(key, body, true);
    }
    const responses = objectIn(operation, 'responses');
    this.#completeResponses(key, responses, isPublic);
    const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    const header = (name: string) => parameters.find((one) => dig(one, 'in') === 'header' && dig(one, 'name') === name);
    if (header('Idempotency-Key') !== undefined) {
      for (const found of successes.map(([, response]) => this.#resolve(response))) {
        if (isObject(found)) this.#referTo('Idempotency-Replayed', objectIn(found, 'headers'));
      }
    }
    const types = successes.flatMap(([, response]) =>
      entriesOf(dig(this.#resolve(response), 'content')).map(([type]) => type),
    );
    const bodies = entriesOf(dig(body, 'content')).map(([type]) => type);
    this.#addServerResponses(key, responses, {
      takesBody: body !== undefined,
      takesJson: bodies.some((type) => kindOf(type) === 'json'),
      needsKey: !isPublic,
      writes: method !== 'get',
      hasSeveralTypes: new Set(types).size > 1,
      takesIdempotencyKey: header('Idempotency-Key') !== undefined,
      takesIfMatch: header('If-Match') !== undefined,
      requiresIfMatch: dig(header('If-Match'), 'required') === true,
    });
  }

  /** A request that the API sends to its partners: it is documented, and not served. */
  #completeWebhook(key: string, name: string, operation: JsonObject): void {
    operation['operationId'] = camelCase(String(operation['operationId'] ?? name));
    const webhooks = objectIn(this.#document, 'webhooks');
    const item = webhooks[name];
    if (name !== camelCase(name) && item !== undefined) {
      delete webhooks[name];
      webhooks[camelCase(name)] = item;
      this.#note('The name of a webhook is a name in code, in camelCase.', `${name}: ${camelCase(name)}`);
    }
    const body = this.#resolve(operation['requestBody']);
    if (isObject(body)) this.#completeContent(key, body, true);
  }

  /** Sets the scope that an operation needs. Returns whether it needs no key. */
  #completeAccess(method: string, operation: JsonObject): boolean {
    const choices = listOf(operation['security'] ?? this.#document['security']);
    const isPublic = choices.length === 0 || choices.some((choice) => entriesOf(choice).length === 0);
    const isOurs = dig(this.#components, 'securitySchemes', 'apiKey', 'x-scopes') !== undefined;
    if (!isOurs) operation['security'] = isPublic ? [] : [{ apiKey: [method === 'get' ? 'read' : 'write'] }];
    return isPublic;
  }

  #completeTexts(key: string, path: string, method: string, operation: JsonObject): void {
    const words = path.split(/[^A-Za-z0-9]+/).filter(Boolean);
    const given = String(operation['operationId'] ?? [method, ...words].join(' '));
    const name = camelCase(given);
    if (operation['operationId'] !== name) {
      operation['operationId'] = name;
      this.#note(
        'The operationId is the name in code, in camelCase: it was missing or had another form.',
        `${key}: ${name}`,
      );
    }
    operation['summary'] ??= sentenceOf(name).slice(0, -1);
    operation['description'] ??= `${operation['summary']}.`;
    if (listOf(operation['tags']).length === 0) operation['tags'] = [sentenceOf(words[0] ?? 'API').slice(0, -1)];
    const tags = listOf(this.#document['tags']);
    const missing = listOf(operation['tags']).filter((tag) => !tags.some((one) => dig(one, 'name') === tag));
    if (missing.length > 0) {
      this.#document['tags'] = [
        ...(Array.isArray(this.#document['tags']) ? this.#document['tags'] : []),
        ...missing.map((tag) => ({ name: String(tag), description: `Operations of ${tag}.` })),
      ];
    }
  }

  /** Two names that differ only by the noun of their tag, such as `getNotes` and `getNote`, would be one method of the client. */
  #completeMethodNames(): void {
    const taken = new Set<string>();
    for (const { section, path, method, operation } of operationsIn(this.#document)) {
      if (section === 'webhooks' || !isObject(operation)) continue;
      const named = () =>
        pathOf(
          methodNameOf({
            operationId: String(operation['operationId']),
            tags: listOf(operation['tags']).map(String),
            'x-method-name': operation['x-method-name'] === undefined ? undefined : String(operation['x-method-name']),
            'x-stability': operation['x-stability'] === undefined ? undefined : String(operation['x-stability']),
          }),
        );
      if (taken.has(named())) {
        const isList = method === 'get' && !path.endsWith('}');
        operation['x-method-name'] = isList ? 'list' : String(operation['operationId']);
        this.#note(
          'Two methods of the client would have the same name.',
          `${String(operation['operationId'])}: ${named()}`,
        );
      }
      taken.add(named());
    }
  }

  #completeResponses(key: string, responses: JsonObject, isPublic: boolean): void {
    if (!Object.keys(responses).some((status) => /^2\d\d$/.test(status))) {
      const [range] = Object.entries(responses).find(([status]) => /^(2XX|default)$/i.test(status)) ?? [];
      const given = range === undefined ? undefined : responses[range];
      responses[given === undefined ? '204' : '200'] = given ?? { description: 'Done.' };
      this.#note(
        'No successful status is documented, so default or 2XX is 200, and an operation without one returns 204.',
        key,
      );
    }
    for (const [status, response] of Object.entries(responses)) {
      if (!/^\d{3}$/.test(status)) {
        delete responses[status];
        this.#note('default and ranges of statuses are left out: every response has an exact status.', key);
      } else if (/^[45]/.test(status)) {
        this.#completeError(key, responses, status, response, isPublic);
      } else {
        const found = this.#resolve(response);
        if (!isObject(found)) continue;
        found['description'] ??= `${STATUS_CODES[status] ?? 'Success'}.`;
        if ('links' in found) delete found['links'];
        this.#addHeaders(found, status, isPublic);
        this.#completeContent(key, found, false);
      }
    }
  }

  /** Keeps an error of the service, and replaces one in another form. */
  #completeError(key: string, responses: JsonObject, status: string, response: Json, isPublic: boolean): void {
    const found = this.#resolve(response);
    const media = entriesOf(dig(found, 'content'));
    const isOurs = media.some(([, one]) => dig(one, 'schema', '$ref') === '#/components/schemas/Error');
    if (isOurs && isObject(found)) this.#addHeaders(found, status, isPublic);
    if (isOurs) return;
    delete responses[status];
    if (media.length > 0) this.#note('Errors have the form of the service instead of their own.', `${key} ${status}`);
    if (explained.has(status) || (isPublic && status === '403')) return;
    const phrase = STATUS_CODES[status] ?? `Status ${status}`;
    const code = phrase.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
    const rows = objectIn(objectIn(objectIn(this.#components, 'schemas'), 'ErrorCode'), 'x-codes');
    rows[code] ??= {
      status: Number(status),
      cause: String(dig(found, 'description') ?? `${phrase}.`),
      action: 'See the description of the operation.',
    };
    responses[status] = { $ref: this.#errorResponse(status, [code], isPublic) };
  }

  /** Adds the responses of the server that the operation does not document. */
  #addServerResponses(key: string, responses: JsonObject, traits: OperationTraits): void {
    const codes = new Map<string, string[]>();
    for (const [status, sent, , isSent] of serverResponses) {
      if (isSent(traits)) codes.set(status, [...(codes.get(status) ?? []), ...sent]);
    }
    if (dig(this.#components, 'schemas', 'ErrorCode', 'x-codes', 'not_implemented') !== undefined) {
      codes.set('501', ['not_implemented']);
    }
    for (const [status, sent] of codes) {
      const known = this.#codesIn(responses[status]);
      if (known.length === 0 && responses[status] !== undefined) continue;
      if (sent.every((code) => known.includes(code))) continue;
      // A response that the contract itself wrote stays as it is, and lint says what it lacks.
      if (known.length > 0 && !String(dig(responses[status], '$ref')).includes('/Service')) continue;
      responses[status] = { $ref: this.#errorResponse(status, [...new Set([...sent, ...known])], !traits.needsKey) };
      this.#note(
        `Errors of the server are added: ${[...codes.keys()].filter((one) => explained.has(one)).join(', ')}.`,
        key,
      );
    }
  }

  #codesIn(response: unknown): string[] {
    return entriesOf(dig(this.#resolve(response), 'content', 'application/json', 'examples')).map(([, example]) =>
      String(dig(example, 'value', 'code')),
    );
  }

  /** The reference to the response with these codes. */
  #errorResponse(status: string, codes: readonly string[], isPublic: boolean): string {
    const identity = JSON.stringify([status, codes, isPublic]);
    const known = this.#responses.get(identity);
    if (known !== undefined) return known;
    const all = objectIn(this.#components, 'responses');
    const base = `Service${(STATUS_CODES[status] ?? status).replaceAll(/[^A-Za-z0-9]+/g, '')}`;
    const name =
      [base, ...Array.from({ length: 99 }, (_, index) => `${base}${index + 2}`)].find((one) => !(one in all)) ?? base;
    const rows = dig(this.#components, 'schemas', 'ErrorCode', 'x-codes');
    const examples = codes.map((code) => {
      const message = String(dig(rows, code, 'cause'));
      return [camelCase(code), { summary: message, value: { code, message, status: Number(status) } }];
    });
    const response: JsonObject = {
      description: String(dig(rows, codes[0] ?? '', 'cause')),
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(examples) },
      },
    };
    this.#addHeaders(response, status, isPublic);
    all[name] = response;
    const reference = `#/components/responses/${name}`;
    this.#responses.set(identity, reference);
    this.#listCodes(codes);
    return reference;
  }

  #listCodes(codes: readonly string[]): void {
    const errorCode = objectIn(objectIn(this.#components, 'schemas'), 'ErrorCode');
    errorCode['enum'] = [...new Set([...listOf(errorCode['enum']), ...codes])].map(String);
  }

  #addHeaders(response: JsonObject, status: string, isPublic: boolean): void {
    const names = [
      ...common,
      ...(isPublic ? [] : ['X-Key-Expires']),
      ...(status === '429' || status === '503' ? ['Retry-After'] : []),
      ...(status === '401' || status === '403' ? ['WWW-Authenticate'] : []),
    ];
    const headers = objectIn(response, 'headers');
    const shared = objectIn(this.#components, 'headers');
    for (const [name, given] of Object.entries(headers)) {
      // The docs and the checks of the server only know headers under their names in components.
      const header = this.#resolve(given);
      const known = shared[name];
      if (!isObject(header) || (known !== undefined && !this.#hoisted.has(name))) continue;
      if (known !== undefined && JSON.stringify(dig(known, 'schema')) !== JSON.stringify(header['schema'])) continue;
      this.#hoisted.add(name);
      shared[name] ??= { description: sentenceOf(name), ...header };
      headers[name] = { $ref: `#/components/headers/${name}` };
    }
    for (const name of names) this.#referTo(name, headers);
  }

  /** Adds a header of the service. One of the contract with the same name would describe other values. */
  #referTo(name: string, headers: JsonObject): void {
    const given = Object.keys(headers).filter((one) => one.toLowerCase() === name.toLowerCase());
    if (this.#isOurs && given.length > 0) return;
    for (const one of given) delete headers[one];
    const shared = objectIn(this.#components, 'headers');
    if (!this.#isOurs) shared[name] = structuredClone(defaults.headers[name] ?? {});
    shared[name] ??= structuredClone(defaults.headers[name] ?? {});
    headers[name] = { $ref: `#/components/headers/${name}` };
  }

  /** Gives every JSON or text body an example, and writes the ones that it has in one form. */
  #completeContent(key: string, part: JsonObject, isRequest: boolean): void {
    const { content } = part;
    if (!isObject(content)) return;
    const isJson = (type: string) => kindOf(type) === 'json';
    for (const [type, media] of Object.entries(content)) {
      if (!isObject(media)) continue;
      if (/[/+]xml$/.test(type) && Object.keys(content).some(isJson)) {
        delete content[type];
        this.#note(`${type} is left out, because the body is also documented as JSON.`, key);
        continue;
      }
      const { example } = media;
      if (example !== undefined) {
        delete media['example'];
        media['examples'] = { example: { value: example } };
      }
      for (const [name, one] of entriesOf(media['examples'])) {
        const found = this.#resolve(one);
        if (isObject(media['examples']) && isObject(found)) media['examples'][name] = structuredClone(found);
      }
      const kind = kindOf(type);
      if (media['examples'] !== undefined || kind === 'binary') continue;
      const value =
        kind === 'json' || kind === 'lines' || kind === 'events'
          ? sampleOf(this.#document, media['schema'], isRequest)
          : 'text';
      media['examples'] = { sample: { value: JSON.parse(JSON.stringify(value ?? null)) } };
      this.#note('Bodies without an example get one from their schema.', key);
    }
  }

  #resolve(node: unknown): unknown {
    return resolve(this.#document, node);
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The path of a server's URL, with the defaults of its variables. */
function pathOfServer({ url, variables }: JsonObject): string {
  const filled = String(url).replaceAll(/\{([^{}]+)\}/g, (_, name) => String(dig(variables, name, 'default')));
  return filled.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/\/$/, '');
}

/** The object under a key, which is created if there is none. */
function objectIn(parent: JsonObject, key: string): JsonObject {
  const found = parent[key];
  if (isObject(found)) return found;
  const created: JsonObject = {};
  parent[key] = created;
  return created;
}

/** Returns whether there were any. */
function removeEmptyEnums(node: unknown): boolean {
  const isEmpty = isObject(node) && Array.isArray(node['enum']) && node['enum'].length === 0;
  if (isEmpty) delete node['enum'];
  return (
    entriesOf(node)
      .map(([, value]) => removeEmptyEnums(value))
      .some(Boolean) || isEmpty
  );
}

function replaceReferences(node: unknown, from: string, to: string): void {
  for (const [key, value] of entriesOf(node)) {
    if (key === '$ref' && value === from && isObject(node)) node['$ref'] = to;
    else if (typeof value === 'string' && value === from && isObject(node)) node[key] = to;
    else replaceReferences(value, from, to);
  }
}

/** `list-all notes` as `listAllNotes`. */
function camelCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter(Boolean);
  const joined = words
    .map((word, index) => (index === 0 ? word : `${word.charAt(0).toUpperCase()}${word.slice(1)}`))
    .join('');
  // An abbreviation at the beginning: `URLOf` becomes `urlOf`.
  return joined.replace(/^[A-Z]+(?=[A-Z][a-z]|[^A-Za-z]|$)|^[A-Z]/, (start) => start.toLowerCase());
}

/** A path with other names of its parameters, and these by the given ones. `known` has the name at each place of the paths before. */
function pathWithNames(given: string, known: Map<string, string>): { path: string; names: Map<string, string> } {
  const names = new Map<string, string>();
  let place = '';
  const segments = given.split('/').map((segment) => {
    const [, name] = /^\{([^{}]+)\}$/.exec(segment) ?? [];
    place += `/${name === undefined ? segment : '{}'}`;
    if (name === undefined) return segment;
    const code = /^[A-Za-z_]\w*$/.test(name) ? name : camelCase(name);
    const used = new Set(names.values());
    const chosen = known.get(place) ?? code;
    // Another parameter of this path may have the name.
    const final = used.has(chosen) ? code : chosen;
    known.set(place, known.get(place) ?? final);
    names.set(name, final);
    return `{${final}}`;
  });
  return { path: segments.join('/'), names };
}

/** A name in code as a sentence: `noteId` as `Note ID.` */
function sentenceOf(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  const text = words.map((word) => (word.toLowerCase() === 'id' ? 'ID' : word.toLowerCase())).join(' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
