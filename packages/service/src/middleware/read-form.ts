import { hash } from 'node:crypto';
import type { ErrorDetail, FormField, FormFields } from '../common/facts.ts';
import type { SentForm } from '../http/context.ts';
import { ApiError, invalidRequest } from '../openapi/api-error.ts';
import { parseJson, pointerStep } from '../openapi/parse-json.ts';
import { isExactInteger, isExactNumber } from '../openapi/validation-problems.ts';

const MAX_FIELDS = 1_000;

const contents = new WeakMap<object, Uint8Array>();

/** The name, the type and a hash of the content of a file in a form; undefined for anything else. */
export function fileIdentity(value: object): string[] | undefined {
  const content = contents.get(value);
  if (content === undefined || !('name' in value) || !('type' in value)) return undefined;
  return [String(value.name), String(value.type), hash('sha256', content, 'base64url')];
}

/** A field of a form: text, a file, or `undefined` for a file that was not chosen in the form of a web page. */
type Entry = { name: string; value: string | File | undefined };

/** Reads a form in application/x-www-form-urlencoded. Throws an ApiError 400 if it has too many fields, or is not encoded UTF-8. */
export function readUrlEncoded(bytes: Uint8Array, fields: FormFields): SentForm {
  const pairs = decoded(bytes).split('&', MAX_FIELDS + 1);
  if (pairs.length > MAX_FIELDS) throw tooManyFields();
  const entries = pairs
    .filter((pair) => pair !== '')
    .map((pair): Entry => {
      const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
      return { name: decodedPart(pair.slice(0, end)), value: decodedPart(pair.slice(end + 1)) };
    });
  return formOf(entries, fields);
}

/** As browsers and URLSearchParams write it, but bytes that are not UTF-8 are refused instead of replaced. */
function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalidRequest([{ where: 'body', what: 'must be percent-encoded UTF-8' }]);
  }
}

/**
 * Reads a form in multipart/form-data with the parser of Node.js.
 * @throws ApiError 400 if it is malformed, is not UTF-8, or has too many fields
 */
export async function readMultipart(contentType: string, bytes: Buffer, fields: FormFields): Promise<SentForm> {
  const [, boundary] = /;\s*boundary="?([^";]+)/i.exec(contentType) ?? [];
  if (boundary === undefined) throw malformed('it has no boundary in its Content-Type');
  if (hasTooManyParts(bytes, `--${boundary}`)) throw tooManyFields();
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => {
      throw malformed('it ends too early, or a part has no name or is cut off');
    });
  return formOf(await Promise.all([...form].map(entryOf)), fields);
}

/** Before the parser takes 10 µs for each part. */
function hasTooManyParts(bytes: Buffer, delimiter: string): boolean {
  let delimiters = 0;
  for (let at = bytes.indexOf(delimiter); at !== -1; at = bytes.indexOf(delimiter, at + delimiter.length)) {
    delimiters += 1;
    // One follows the last part.
    if (delimiters > MAX_FIELDS + 1) return true;
  }
  return false;
}

async function entryOf([name, value]: [name: string, value: string | File]): Promise<Entry> {
  if (typeof value === 'string') {
    // The parser replaces bytes that are not UTF-8.
    if (value.includes('\uFFFD')) throw invalidRequest([{ where: 'body', what: 'must be encoded as UTF-8' }]);
    return { name, value };
  }
  // A browser sends a file without a name and content if the person chose none.
  if (value.name === '' && value.size === 0) return { name, value: undefined };
  const content = new Uint8Array(await value.arrayBuffer());
  // RFC 7578 4.2: a path in the name is not used.
  const file = new File([content], value.name.replace(/^.*[\\/]/, ''), { type: value.type });
  contents.set(file, content);
  return { name, value: file };
}

/** The values of a form with the types of its fields, in which `''` stands for each file. */
function formOf(entries: readonly Entry[], fields: FormFields): SentForm {
  const values: [string, unknown][] = [];
  const files: [string, unknown][] = [];
  const problems: ErrorDetail[] = [];
  const chosen = entries.filter(({ value }) => value !== undefined);
  for (const [name, sent] of Map.groupBy(chosen, (entry) => entry.name)) {
    const field = Object.hasOwn(fields, name) ? (fields[name] ?? plainText) : plainText;
    const all = sent.map(({ value }) => value);
    const what = problemOf(field, all);
    if (what !== undefined) problems.push({ where: `body/${pointerStep(name)}`, what });
    const typed = all.map((value) => (typeof value === 'string' ? typedValue(value, field) : ''));
    values.push([name, field.isList ? typed : typed[0]]);
    if (field.file !== undefined) files.push([name, field.isList ? all : all[0]]);
  }
  return { values: Object.fromEntries(values), files: Object.fromEntries(files), problems };
}

const plainText: FormField = { types: [], isList: false };

function problemOf({ isList, file }: FormField, sent: readonly Entry['value'][]): string | undefined {
  if (sent.length > 1 && !isList) return 'must be sent once';
  const types = sent.flatMap((value) => (typeof value === 'object' ? [value.type] : []));
  if (file === undefined) return types.length > 0 ? 'must be text, not a file' : undefined;
  if (types.length < sent.length) return 'must be a file, with a filename';
  const wrong = types.find((type) => file.length > 0 && !file.some((range) => isInRange(type, range)));
  return wrong === undefined ? undefined : `must have the type ${file.join(' or ')}, not ${wrong}`;
}

function isInRange(type: string, range: string): boolean {
  return range === '*/*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));
}

/** A text as the value that it stands for. A text that stands for none stays, and the validator reports it. */
function typedValue(text: string, { types }: FormField): unknown {
  if (types.includes('integer') && isExactInteger(text)) return Number(text);
  if (types.includes('number') && isExactNumber(text)) return Number(text);
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (types.includes('null') && text === '') return null;
  return types.includes('object') ? jsonValue(text) : text;
}

function jsonValue(text: string): unknown {
  try {
    return parseJson(Buffer.from(text));
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_json') return text;
    throw error;
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalidRequest([{ where: 'body', what: 'must be encoded as UTF-8' }]);
  }
}

function malformed(reason: string): ApiError {
  return invalidRequest([{ where: 'body', what: `must be valid multipart/form-data, but ${reason}` }]);
}

function tooManyFields(): ApiError {
  return invalidRequest([{ where: 'body', what: `must have at most ${MAX_FIELDS.toLocaleString('en')} fields` }]);
}
