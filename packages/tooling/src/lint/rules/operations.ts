import { dig, keysOf } from '../../common/json.ts';
import { isSafe, kindOf } from '../../contract/document.ts';
import { operationsIn } from '../../contract/parse.ts';
import type { Rule } from '../redocly.ts';
import { eachServedOperation, headerParameter } from '../served.ts';

/** An operation with an Idempotency-Key writes, may know its callers, and has only JSON bodies that are not streamed. */
export const idempotency: Rule = () =>
  eachServedOperation((operation, report) => {
    const parameter = headerParameter(operation, 'Idempotency-Key');
    if (parameter === undefined) return;
    if (isSafe(operation.method) || operation.security.asked.length === 0) {
      const message =
        'Only operations that write and ask for credentials take an Idempotency-Key. Remove the parameter.';
      report({ message, location: parameter.location });
    }
    const successes = operation.responses.filter(({ status }) => status.startsWith('2'));
    const bodies = [...operation.requestBodies, ...successes.flatMap((success) => success.bodies)];
    for (const { name, node, location } of bodies) {
      if (kindOf(name) === 'json' && dig(node, 'x-stream') !== true) continue;
      const message = `An operation with Idempotency-Key can only have JSON bodies, but this is ${name}. Remove the parameter Idempotency-Key, or document application/json.`;
      report({ message, location });
    }
  });

/** The successor of a deprecated operation is an operation of this contract that is not deprecated itself. */
export const deprecationSuccessor: Rule = () => ({
  Root: {
    enter(document, { location, report }) {
      const all = operationsIn(document);
      const staying = all.filter(({ operation }) => dig(operation, 'deprecated') !== true).map(({ id }) => id);
      for (const { at, operation } of all) {
        const name = dig(operation, 'x-deprecation', 'successor');
        if (typeof name !== 'string' || staying.includes(name)) continue;
        const message = `"${name}" is not an operation, or is deprecated. Name one that stays: ${staying.sort().join(', ')}.`;
        report({ message, location: location.child([...keysOf(at), 'x-deprecation', 'successor']) });
      }
    },
  },
});
