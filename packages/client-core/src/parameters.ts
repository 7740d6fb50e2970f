import { definitionAt, type Problem, problemsOf } from './problems.ts';

/** The schema of a parameter, with the keywords that say how its text is read. */
export type ParameterSchema = ValueSchema & { readonly items?: ValueSchema };
type ValueSchema = {
  readonly [keyword: string]: unknown;
  readonly type?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly $ref?: string;
};

type ReadParameter = { value: unknown; problems: Problem[] };

/**
 * Reads a parameter as the server does: converts its text to the type of its schema. The problems are in the words of the server.
 *
 * @param sent at least one text; several if the request repeats the parameter
 * @param where the place of the parameter, such as `query/limit`
 */
export function readParameter(
  sent: readonly string[],
  schema: ParameterSchema,
  definitions: object,
  where: string,
): ReadParameter {
  const [text = '', ...others] = sent;
  const { items, ...whole } = resolved(schema, definitions);
  const bounds = resolved(items ?? whole, definitions);
  const isSingle = others.length === 0;
  const texts = sent.map((one) => convertedText(one, bounds.type));
  const value = isSingle && items === undefined ? texts[0] : texts;
  if (isSingle && text === '') return { value, problems: [{ where, what: 'must not be empty' }] };
  const inexact = sent.flatMap((one, index) => {
    const what = one === '' ? undefined : inexactWords(one, bounds, items === undefined ? undefined : where);
    return what === undefined ? [] : [{ where: isSingle ? where : `${where}/${index}`, what }];
  });
  const found = problemsOf(value, schema, definitions, where);
  const rest = found.filter((problem) => !inexact.some((one) => isWithin(problem, one)));
  return { value, problems: [...inexact, ...rest] };
}

/** Whether a problem is at the place of another one, or below it. */
export const isWithin = (problem: Problem, { where }: Problem): boolean => `${problem.where}/`.startsWith(`${where}/`);

function resolved(schema: ParameterSchema, definitions: object): ParameterSchema {
  const { $ref } = schema;
  return $ref === undefined ? schema : resolved(Object(definitionAt({ $defs: definitions }, $ref)), definitions);
}

const integerText = /^(0|-?[1-9][0-9]*)$/;
const numberText = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

/** Text as one of these types. Text that cannot be converted stays text. */
export function typedText(text: string, type: unknown): unknown {
  const types = [type].flat();
  if (types.includes('integer') && integerText.test(text)) return Number(text);
  if (types.includes('number') && numberText.test(text)) return Number(text);
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/**
 * What is wrong with a text that should be a number and is not, or would be rounded.
 * @param list the place of the list that it belongs to
 */
function inexactWords(text: string, schema: ValueSchema, list: string | undefined): string | undefined {
  const { type, minimum = -Number.MAX_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema;
  if (type === 'number') {
    const isExact = numberText.test(text) && Number.isFinite(Number(text));
    return isExact ? undefined : 'must be a number in JSON notation, such as 12 or 0.5';
  }
  if (type !== 'integer' || isExactInteger(text)) return undefined;
  const parts = text.split(',');
  if (list !== undefined && parts.length > 1 && parts.every(isExactInteger)) {
    const name = list.replace(/^.*?\//, '');
    return `must be a single integer; to send several, repeat the parameter: ${name}=1&${name}=2`;
  }
  return `must be an integer between ${shownBound(minimum)} and ${shownBound(maximum)}, in plain digits`;
}

/** Also converts numbers that are not exact, such as `0x10`, because the server compares the items of a list after that. */
function convertedText(text: string, type: unknown): unknown {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  const isNumber = type === 'number' ? !Number.isNaN(number) : type === 'integer' && Number.isInteger(number);
  return isNumber ? number : typedText(text, type);
}

const isExactInteger = (text: string): boolean => integerText.test(text) && Number.isSafeInteger(Number(text));

function shownBound(bound: number): string {
  if (bound === Number.MAX_SAFE_INTEGER) return '2^53-1';
  return bound === -Number.MAX_SAFE_INTEGER ? '-(2^53-1)' : String(bound);
}
