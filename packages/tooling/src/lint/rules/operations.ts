import { dig } from '../../common/json.ts';
import { isSafe, kindOf } from '../../contract/document.ts';
import type { Rule } from '../redocly.ts';
import { eachServedOperation, headerParameter, successesOf } from '../served.ts';

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
  });

function isJson({ name, node }: { name: string; node: unknown }): boolean {
  return kindOf(name) === 'json' && dig(node, 'x-stream') !== true;
}
