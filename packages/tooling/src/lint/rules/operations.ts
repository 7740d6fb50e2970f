import { dig } from '../../common/json.ts';
import { isSafe, kindOf } from '../../contract/document.ts';
import { countingTraits, type OperationTraits, serverResponses } from '../../contract/server-responses.ts';
import type { Rule } from '../redocly.ts';
import {
  eachServedOperation,
  headerParameter,
  type Part,
  type Report,
  type Response,
  type ServedOperation,
  successesOf,
} from '../served.ts';

/** What the operation has that makes the server send a response of its own. */
function traitsOf(operation: ServedOperation): OperationTraits {
  const ifMatch = headerParameter(operation, 'If-Match');
  return {
    takesBody: operation.requestBody !== undefined,
    takesJson: operation.requestBodies.some(isJson),
    needsKey: operation.security.needsCredentials,
    knowsCallers: operation.security.asked.length > 0,
    needsScope: operation.security.needsScope,
    ...countingTraits(dig(operation.document, 'x-rate-limits'), operation.security.asked.length > 0),
    hasSeveralTypes: new Set(successesOf(operation).flatMap(({ bodies }) => bodies.map(({ name }) => name))).size > 1,
    takesIdempotencyKey: headerParameter(operation, 'Idempotency-Key') !== undefined,
    takesIfMatch: ifMatch !== undefined,
    requiresIfMatch: dig(ifMatch?.node, 'required') === true,
  };
}

/** An operation documents each response that the server itself sends to its callers, with its codes. */
export const serverResponsesAreDocumented: Rule = () =>
  eachServedOperation((operation, report) => {
    const missing = new Set<string>();
    const traits = traitsOf(operation);
    for (const [status, codes, when, isSent] of serverResponses) {
      if (!isSent(traits)) continue;
      const response = operation.responses.find((one) => one.status === status);
      if (response === undefined) {
        if (missing.has(status)) continue;
        missing.add(status);
        const message = `The server responds with ${status} if ${when}. Add the missing response: ${status}.`;
        report({ message, location: operation.location.child(['responses']) });
        continue;
      }
      // If there is no example at all, another rule reports it.
      for (const code of response.codes.size === 0 ? [] : codes.filter((one) => !response.codes.has(one))) {
        const message = `The server responds with ${code} if ${when}. Show it in an example of this ${status}.`;
        report({ message, location: response.location });
      }
    }
  });

/** An operation needs the scope of its method, and a public operation documents no responses about keys. */
export const access: Rule = () =>
  eachServedOperation((operation, report) => {
    const { method, access: asked, responses, location } = operation;
    const needed = isSafe(method) ? 'read' : 'write';
    if (asked === 'public') {
      for (const { status } of responses.filter((one) => one.status === '401' || one.status === '403')) {
        const message = `A public operation does not need a key. Remove the response ${status}, or "security: []".`;
        report({ message, location: location.child(['responses', status]) });
      }
    } else if (asked !== undefined && asked !== needed) {
      const verb = needed === 'read' ? `A ${method.toUpperCase()} only reads` : `A ${method.toUpperCase()} writes`;
      const message = `${verb}, but this operation needs the scope ${asked}. Write "security: [{ apiKey: [${needed}] }]"; the default is the security of the document.`;
      report({ message, location });
    }
  });

/** Any response to a key can announce that the key expires soon; a public operation ignores keys. */
export const keyExpiry: Rule = () =>
  eachServedOperation(({ security, responses }, report) => {
    if (!security.needsCredentials || !security.takesKeys) return;
    for (const response of responses)
      mustHave(response, 'X-Key-Expires', 'each response to a key that expires soon', report);
  });

/** A response with one of these statuses has no body (RFC 9110, 15.3.5, 15.3.6 and 15.4.5). */
const bodyless = new Set(['204', '205', '304']);

/** A response documents no body if its status forbids one. */
export const bodylessResponses: Rule = () =>
  eachServedOperation(({ method, responses }, report) => {
    for (const { status, node, location } of responses) {
      if (dig(node, 'content') === undefined) continue;
      if (bodyless.has(status)) {
        const message = `A ${status} has no body. Remove content, or use another status.`;
        report({ message, location: location.child(['content']) });
      } else if (method === 'head' && /^[23]/.test(status)) {
        const message = 'The response to HEAD has no body (RFC 9110, section 9.3.2). Remove content.';
        report({ message, location: location.child(['content']) });
      }
    }
  });

/** An operation with an Idempotency-Key writes, needs an API key, and has only JSON bodies that are not streamed. */
export const idempotency: Rule = () =>
  eachServedOperation((operation, report) => {
    const parameter = headerParameter(operation, 'Idempotency-Key');
    if (parameter === undefined) return;
    const successes = successesOf(operation);
    const bodies = [...operation.requestBodies, ...successes.flatMap((success) => success.bodies)];
    for (const { name, location } of bodies.filter((body) => !isJson(body))) {
      const message = `An operation with Idempotency-Key can only have JSON bodies, but this is ${name}. Remove the parameter Idempotency-Key, or document application/json.`;
      report({ message, location });
    }
    if (isSafe(operation.method) || !operation.security.needsCredentials) {
      const reason = isSafe(operation.method)
        ? `A ${operation.method.toUpperCase()} changes nothing, so it`
        : 'A public operation does not know its callers, so it';
      report({ message: `${reason} takes no Idempotency-Key. Remove the parameter.`, location: parameter.location });
    }
    for (const success of successes)
      mustHave(
        success,
        'Idempotency-Replayed',
        'the successful responses of an operation with Idempotency-Key',
        report,
      );
  });

/** The parts of `If-None-Match` are complete, and only responses that can have an ETag or a caching policy document one. */
export const caching: Rule = () =>
  eachServedOperation((operation, report) => {
    for (const { header, location } of operation.responses.flatMap(cacheControlOf(operation))) {
      if (typeof header === 'string') continue;
      const message =
        'The server sends one value of Cache-Control for a response. Write it as const in the schema, like "const: no-store".';
      report({ message, location });
    }
    if (operation.method === 'get') checkReading(operation, report);
    else checkWriting(operation, report);
  });

function checkReading(operation: ServedOperation, report: Report) {
  const { responses, location } = operation;
  const [ok, notModified] = ['200', '304'].map((status) => responses.find((one) => one.status === status));
  const ifNoneMatch = headerParameter(operation, 'If-None-Match');
  const etag = ok !== undefined && hasETag(ok);
  const [policy] = ok === undefined ? [] : cacheControlOf(operation)(ok);

  for (const response of responses) {
    if (!hasETag(response) || response.status === '200' || response.status === '304') continue;
    reportETag(response, report);
  }
  if (!etag && ifNoneMatch === undefined && notModified === undefined) {
    const isWholeJson = ok?.bodies.some(isJson) === true;
    if (ok === undefined || !isWholeJson || policy !== undefined) return;
    const message =
      'Document how this response is cached: with ETag on the 200, If-None-Match and 304, or with Cache-Control and a const like no-store.';
    report({ message, location: ok.location });
    return;
  }
  const missing = [
    etag ? '' : 'the header ETag on the 200',
    ifNoneMatch === undefined ? 'the parameter If-None-Match' : '',
    notModified === undefined ? 'the response 304' : '',
  ].filter((part) => part !== '');
  if (missing.length > 0) {
    const message = `ETag, If-None-Match and 304 belong together. Add ${missing.join(' and ')}, or remove the others.`;
    report({ message, location });
    return;
  }
  if (ok === undefined) return;
  if (ok.bodies.length === 0 || ok.bodies.some(isStreamed)) {
    const reason = ok.bodies.length === 0 ? 'has no body' : 'is streamed';
    const message = `An ETag is a hash of the whole body, but this response ${reason}. Remove ETag, If-None-Match and 304.`;
    report({ message, location: ok.location.child(['headers', 'ETag']) });
  } else if (policy === undefined || String(policy.header).includes('no-store')) {
    const message =
      'A cache never stores a response with no-store, so its ETag has no use. Document Cache-Control with a const like "private, no-cache".';
    report({ message, location: policy?.location ?? ok.location });
  }
  if (notModified !== undefined) {
    mustHave(notModified, 'ETag', 'a 304', report);
    mustHave(notModified, 'Cache-Control', 'a 304', report);
  }
}

function checkWriting(operation: ServedOperation, report: Report) {
  const { method, responses } = operation;
  const ifNoneMatch = headerParameter(operation, 'If-None-Match');
  const notModified = responses.find(({ status }) => status === '304');
  if (ifNoneMatch !== undefined || notModified !== undefined) {
    const message = `The server supports If-None-Match for GET only. Remove the parameter and the 304 from this ${method.toUpperCase()}.`;
    report({ message, location: ifNoneMatch?.location ?? operation.location });
  }
  for (const response of responses) {
    const { status, bodies } = response;
    const isSendable = status.startsWith('2') && bodies.length > 0 && bodies.every(isJson);
    // A HEAD has no body to make an ETag of, so it sets its own.
    if (hasETag(response) && !isSendable && status !== '304' && method !== 'head') reportETag(response, report);
  }
}

function hasETag({ headers }: Response): boolean {
  return headers.some(({ name }) => name === 'ETag');
}

function reportETag({ status, location }: Response, report: Report): void {
  const message = `The server sends an ETag with the 200 and 304 of a GET, and with other successful JSON responses. Remove it from the response ${status}.`;
  report({ message, location: location.child(['headers', 'ETag']) });
}

function cacheControlOf({ targetOf }: ServedOperation) {
  return ({ headers }: Response): { header: unknown; location: Part['location'] }[] =>
    headers
      .filter(({ name }) => name === 'Cache-Control')
      .map(({ node, location }) => ({ header: dig(targetOf(dig(node, 'schema')), 'const'), location }));
}

function isJson({ name, node }: { name: string; node: unknown }): boolean {
  return kindOf(name) === 'json' && dig(node, 'x-stream') !== true;
}

function isStreamed({ node }: Part): boolean {
  return dig(node, 'x-stream') === true;
}

function mustHave({ headers, location }: Response, name: string, carrier: string, report: Report): void {
  if (headers.some((header) => header.name === name)) return;
  const message = `The server sends ${name} with ${carrier}. Document the header.`;
  report({ message, location: location.child(['headers']) });
}
