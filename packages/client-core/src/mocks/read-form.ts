import { pointerStep } from '../pointer.ts';
import type { Problem } from '../problems.ts';
import type { FormFields } from './contract.ts';

/** A form: its values, in which `''` stands for each file, its files, and what is wrong with it. */
export type SentForm = { values: Record<string, unknown>; files: Record<string, unknown>; problems: Problem[] };

/**
 * Reads a form as the API does.
 * @param typed a text as one of the types of its field
 */
export async function readForm(
  body: Response,
  fields: FormFields,
  typed: (text: string, types: readonly string[]) => unknown,
): Promise<SentForm> {
  const values: [string, unknown][] = [];
  const files: [string, unknown][] = [];
  const problems: Problem[] = [];
  const data = await body.formData().catch(() => undefined);
  if (data === undefined) problems.push({ where: 'body', what: 'must be a valid form' });
  for (const name of new Set(data?.keys())) {
    const field = (Object.hasOwn(fields, name) && fields[name]) || plainText;
    const sent = data?.getAll(name) ?? [];
    const what = problemOf(field, sent);
    if (what !== undefined) problems.push({ where: `body/${pointerStep(name)}`, what });
    const typedValues = sent.map((value) => (typeof value === 'string' ? typedValue(value, field.types, typed) : ''));
    values.push([name, field.isList ? typedValues : typedValues[0]]);
    if (field.file !== undefined) files.push([name, field.isList ? sent : sent[0]]);
  }
  return { values: Object.fromEntries(values), files: Object.fromEntries(files), problems };
}

const plainText = { types: [], isList: false, file: undefined };

function problemOf({ isList, file }: FormFields[string], sent: FormDataEntryValue[]): string | undefined {
  if (sent.length > 1 && !isList) return 'must be sent once';
  const types = sent.flatMap((value) => (typeof value === 'string' ? [] : [value.type]));
  if (file === undefined) return types.length > 0 ? 'must be text, not a file' : undefined;
  if (types.length < sent.length) return 'must be a file, with a filename';
  const wrong = types.find((type) => file.length > 0 && !file.some((range) => isInRange(type, range)));
  return wrong === undefined ? undefined : `must have the type ${file.join(' or ')}, not ${wrong}`;
}

function typedValue(
  text: string,
  types: readonly string[],
  typed: (text: string, types: readonly string[]) => unknown,
) {
  if (types.includes('null') && text === '') return null;
  if (!types.includes('object')) return typed(text, types);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isInRange(type: string, range: string): boolean {
  return range === '*/*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));
}
