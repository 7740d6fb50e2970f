import { dig, listOf } from '../common/json.ts';
import { type ContractDocument, servedMethods } from '../contract/document.ts';
import { operationsIn, withoutUnused } from '../contract/parse.ts';
import { pathOfServer, urlOf } from '../contract/servers.ts';
import { defaults } from './defaults.ts';
import { Draft, isObject, type JsonObject, objectIn, type Problem } from './draft.ts';
import { addErrorSchemas, addServerCodes, leaveOutUnsentCodes } from './errors.ts';
import { completeExamples } from './examples.ts';
import { completeLifecycle } from './lifecycle.ts';
import { completeMethodNames } from './names.ts';
import { completeOperation, completeWebhook } from './operations.ts';
import { shareParameters } from './path-parameters.ts';
import { checkReferences, completeMappings, inlineReferences, leaveOutDeepParts } from './references.ts';
import { completePatterns, freeNames } from './schemas.ts';
import { completeSecurity, prefixOf } from './security.ts';

/** The effective contract: the one that is served, generated from, and published. */
export type Effective = {
  document: ContractDocument;
  /** What there is to say about the contract, each with the operations that it concerns; none if it concerns the whole contract. */
  changes: Map<string, string[]>;
  /** The operations whose requests or responses are not quite as the contract says. */
  changed: Set<string>;
  /** Why operations cannot be served, as far as lint does not find it. */
  problems: Problem[];
  /** Whether the contract was written for the service. */
  isOurs: boolean;
};

/**
 * The contract with what the service adds to every API: headers, error responses, limits, and an example of each body. A
 * contract that has all of this stays as it is.
 *
 * @param given a contract in one file, which becomes the effective one
 * @param id the name of the project, such as `tree-nursery`
 * @param keyPrefix the first part of API keys; by default, it follows from the name
 */
export function effectiveContract(given: JsonObject, id: string, keyPrefix = prefixOf(id)): Effective {
  const draft = new Draft(given, id, keyPrefix);
  const before = JSON.stringify(draft.document);
  inlineReferences(draft);
  leaveOutDeepParts(draft);
  completeMappings(draft);
  completePatterns(draft);
  completeRoot(draft);
  if (draft.isOurs) addServerCodes(draft);
  else addErrorSchemas(draft);
  completeSecurity(draft);
  shareParameters(draft);
  completeLifecycle(draft);
  completeOperations(draft);
  leaveOutUnsentCodes(draft);
  completeMethodNames(draft);
  // Last, so that the components of the service keep their names.
  freeNames(draft);
  const uncheckable = draft.isOurs ? [] : completeExamples(draft.document);
  const after = JSON.stringify(draft.document);
  return {
    document: after === before ? JSON.parse(after) : withoutUnused(JSON.parse(after)),
    changes: draft.changes,
    changed: draft.changed,
    problems: [...draft.problems, ...uncheckable],
    isOurs: draft.isOurs,
  };
}

/** Info, servers and limits. */
function completeRoot(draft: Draft): void {
  const { document } = draft;
  completeInfo(draft);
  completeServers(draft);
  if (document['x-rate-limits'] === undefined) draft.note('No requests are counted: there is no x-rate-limits.');
  const limits = objectIn(document, 'x-limits');
  for (const [name, limit] of Object.entries(defaults.limits)) limits[name] ??= limit;
}

function completeInfo({ document, id }: Draft): void {
  const info = objectIn(document, 'info');
  const title = String(info['title'] ?? id);
  // Generators leave them out, and YAML reads `1.0` as a number.
  Object.assign(info, { title, version: String(info['version'] ?? '1.0.0') });
  info['description'] ??= `The API of ${title}.`;
  info['summary'] ??= /^.{1,200}?[.!?](?=\s|$)/.exec(String(info['description']).replaceAll(/\s+/g, ' '))?.[0] ?? title;
  objectIn(info, 'contact')['name'] ??= title;
}

function completeServers(draft: Draft): void {
  const { document } = draft;
  const given = listOf(document['servers']).filter(isObject);
  // A variable without a default has no value.
  const servers = given.filter((server) => pathOfServer(server) !== undefined && !urlOf(server).includes('{'));
  if (servers.length < given.length) draft.note('Servers whose address is not a URL are left out.');
  if (servers.length === 0) {
    servers.push({ url: 'http://127.0.0.1:3000', description: 'Your own machine, after npm start' });
    draft.note('The contract names no server, so docs and samples use http://127.0.0.1:3000.');
  }
  document['servers'] = servers;
  const paths = servers.map((server) => pathOfServer(server) ?? '');
  const path = paths.find((one) => /^[\w.~/-]*$/.test(one)) ?? paths[0];
  const same = servers.filter((_, index) => paths[index] === path);
  if (same.length < servers.length) {
    document['servers'] = same;
    draft.note(
      `All operations are served under one base path, ${path === '' ? '/' : path}: servers with another path are left out.`,
    );
  }
  for (const server of same) {
    server['url'] = String(server['url']).replace(/(?<=[^/])\/+$/, '');
    server['description'] ??= server['url'];
  }
}

/** The operations that are served, and the webhooks. */
function completeOperations(draft: Draft): void {
  for (const found of operationsIn(draft.document)) {
    const { key, section, path, method, operation } = found;
    if (!isObject(operation)) continue;
    checkReferences(draft, found);
    const item = dig(draft.document, 'paths', path);
    if (section === 'webhooks') completeWebhook(draft, key, path, operation);
    else if (servedMethods.some((served) => served === method) && isObject(item)) {
      completeOperation(draft, { key, method, path, item, operation });
    }
  }
}
