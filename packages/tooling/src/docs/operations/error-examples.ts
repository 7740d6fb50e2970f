import { dig, entriesOf, listOf } from '../../common/json.ts';
import { type ContractDocument, kindOf, type OperationObject, parameterOf, resolve } from '../../contract/document.ts';
import { hasProblems } from '../../contract/error-form.ts';
import { record } from '../facts/schema-words.ts';

/** An example of a response, as the contract has it. */
export type ContractExample = { summary?: string; value: unknown };

/**
 * The example of an error as this operation sends it, because operations share the responses of the contract; undefined if it never
 * sends it. The tests provoke each of these errors.
 */
export function ownErrorExample(
  contract: ContractDocument,
  operation: OperationObject,
  example: ContractExample,
): ContractExample | undefined {
  const types = entriesOf(dig(resolve(contract, operation.requestBody), 'content')).map(([type]) => type);
  const code = dig(example.value, 'code');
  if (code === 'invalid_json') return types.some((type) => kindOf(type) === 'json') ? example : undefined;
  if (code === 'invalid_request') return invalidRequest(contract, operation, example);
  if (code !== 'unsupported_media_type' || types.length === 0) return example;
  const named = types.map((type) => `"Content-Type: ${type}"`).join(' or ');
  const sentence = (text: string) => text.replace(/"Content-Type: [^"]+"(?: or "Content-Type: [^"]+")*/, named);
  return withText(contract, example, sentence);
}

/** A request that the operation refuses: what to change in a valid one, and what the server says about it. */
export type WrongRequest = {
  summary: string;
  /** A parameter with a wrong value, or a property that is left out of the body. */
  change:
    | { in: 'query'; name: string; value: string }
    | { in: 'path'; name: string; value: string }
    | { in: 'body'; without: string };
  where: string;
  what: string;
};

/** The most usual mistake in a request for this operation. */
export function wrongRequest(contract: ContractDocument, operation: OperationObject): WrongRequest {
  const parameters = (operation.parameters ?? []).map((node) => parameterOf(node, contract));
  const content = entriesOf(dig(resolve(contract, operation.requestBody), 'content'));
  const [media] = content.filter(([type]) => kindOf(type) === 'json').map(([, one]) => one);
  const [property] = listOf(dig(resolve(contract, dig(media, 'schema')), 'required'));
  if (typeof property === 'string') {
    const [where, what] = [`body/${property}`, 'is required'];
    return { summary: 'A property is missing', change: { in: 'body', without: property }, where, what };
  }
  for (const { name, in: place, schema: node } of parameters) {
    const schema = resolve(contract, node);
    const [minimum, maximum] = [dig(schema, 'minimum'), dig(schema, 'maximum')];
    if (dig(schema, 'type') !== 'integer' || typeof minimum !== 'number' || typeof maximum !== 'number') continue;
    if (place === 'query' && maximum < Number.MAX_SAFE_INTEGER) {
      const change = { in: place, name, value: String(maximum + 1) } as const;
      return { summary: 'A value is out of range', change, where: `query/${name}`, what: `must be at most ${maximum}` };
    }
    if (place !== 'path') continue;
    const what = `must be an integer between ${bound(minimum)} and ${bound(maximum)}, in plain digits`;
    return {
      summary: 'A value is not a number',
      change: { in: place, name, value: 'first' },
      where: `path/${name}`,
      what,
    };
  }
  const name = parameters.some((one) => one.name === 'verbose') ? 'unknown' : 'verbose';
  const change = { in: 'query', name, value: 'true' } as const;
  return { summary: 'A parameter is unknown', change, where: `query/${name}`, what: 'is unknown' };
}

function bound(value: number): string {
  if (Math.abs(value) !== Number.MAX_SAFE_INTEGER) return String(value);
  return value < 0 ? '-(2^53-1)' : '2^53-1';
}

function invalidRequest(
  contract: ContractDocument,
  operation: OperationObject,
  example: ContractExample,
): ContractExample {
  const { summary, where, what } = wrongRequest(contract, operation);
  const value = { ...record(example.value), details: [{ where, what }] };
  return withText(contract, { summary, value }, () => `The request is invalid: ${where} ${what}.`);
}

/** The example with another sentence about what is wrong. */
function withText(
  contract: ContractDocument,
  example: ContractExample,
  sentence: (text: string) => string,
): ContractExample {
  const member = hasProblems(contract) ? 'detail' : 'message';
  const text = dig(example.value, member);
  if (typeof text !== 'string') return example;
  return { ...example, value: { ...record(example.value), [member]: sentence(text) } };
}
