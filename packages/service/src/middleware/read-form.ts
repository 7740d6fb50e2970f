import { hash } from 'node:crypto';
import type { BusboyConstructor, BusboyFileStream, BusboyInstance } from '@fastify/busboy';
import type { ErrorDetail, FormField, FormFields } from '../common/contract.ts';
import { ApiError, invalidRequest } from '../contract/api-error.ts';
import type { StreamedFile } from '../contract/operation.ts';
import { parseJson, pointerStep } from '../contract/parse-json.ts';
import { isExactInteger, isExactNumber } from '../contract/validation-problems.ts';
import type { SentForm } from '../http/context.ts';

/** The most fields that a form may have. */
const MAX_FIELDS = 1_000;

/** The parser takes this many bytes at once, so that a body of many small parts neither blocks the process nor fills its memory. */
const SLICE = 16_384;

/** The bytes of files that are in memory. */
const contents = new WeakMap<object, readonly Uint8Array[]>();

/** The name, the type and a hash of the content of a file in a form; undefined for anything else. */
export function identityOf(value: object): string[] | undefined {
  const chunks = contents.get(value);
  if (chunks === undefined || !('name' in value) || !('type' in value)) return undefined;
  return [String(value.name), String(value.type), hash('sha256', Buffer.concat(chunks), 'base64url')];
}

/** A field of a form: text, a file, or `undefined` for a file that was not chosen in the form of a web page. */
type Entry = { name: string; value: string | File | StreamedFile | undefined };

/** A part of multipart/form-data, with what has arrived of its content. */
type Part = { name: string; filename: string | undefined; contentType: string; chunks: Uint8Array<ArrayBuffer>[] };

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

/** A body as it arrives, of bytes. */
type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** How a multipart form is read. With `stream`, its file is streamed, and `bodyBytes` limits the fields before it. */
type Reading = { fields: FormFields; stream: boolean; bodyBytes: number };

/**
 * Reads a form in multipart/form-data: as a whole, or, with `stream`, up to its file, which the operation reads. Throws an ApiError:
 * 400 if it is malformed or has too many fields, 413 if the fields before a streamed file are too large.
 */
export async function readMultipart(
  contentType: string,
  pieces: Pieces,
  { fields, stream, bodyBytes }: Reading,
): Promise<SentForm> {
  const parts: Part[] = [];
  const isStreamed = (part: Part) => stream && isChosen(part);
  const steps = parse(contentType, pieces, parts);
  for (let step = await steps.next(); step.done !== true; step = await steps.next()) {
    const file = parts.find(isStreamed);
    const before = file === undefined ? parts : parts.slice(0, parts.indexOf(file));
    // Only the file is streamed: all else is in memory.
    if (stream && step.value > bodyBytes && sizeOf(before) > bodyBytes) {
      throw new ApiError('body_too_large', `The fields before the file are larger than ${bodyBytes} bytes. Send less.`);
    }
    if (file === undefined) continue;
    const value = streamedFile(file, contentOf(file, parts, steps));
    return formOf([...before.map(entryOf), { name: file.name, value }], fields);
  }
  return formOf(parts.map(entryOf), fields);
}

/** About how many bytes parts take in memory. */
function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { name, filename = '', contentType, chunks }) => {
    const texts = name.length + filename.length + contentType.length;
    return chunks.reduce((size, { length }) => size + length, sum + texts);
  }, 0);
}

/** A browser sends a file without a name and content if the person chose none. */
function isChosen({ filename }: Part): boolean {
  return filename !== undefined && filename !== '';
}

function entryOf({ name, filename, contentType, chunks }: Part): Entry {
  if (filename === undefined) return { name, value: decoded(Buffer.concat(chunks)) };
  if (filename === '' && chunks.length === 0) return { name, value: undefined };
  const file = new File(chunks, filename, { type: contentType });
  contents.set(file, chunks);
  return { name, value: file };
}

function streamedFile(
  { filename = '', contentType }: Part,
  content: AsyncGenerator<Uint8Array<ArrayBuffer>, undefined>,
): StreamedFile {
  const source: UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> = {
    async pull(controller) {
      const { done, value } = await content.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  };
  // Nothing is read before the operation asks for it.
  return { name: filename, type: contentType, stream: () => new ReadableStream(source, { highWaterMark: 0 }) };
}

/** The content of a streamed file. Throws an ApiError 400 if a part follows it, because the operation already runs. */
async function* contentOf(
  file: Part,
  parts: readonly Part[],
  steps: AsyncGenerator<number>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  for (let isDone = false; !isDone; ) {
    yield* file.chunks.splice(0);
    const last = parts.at(-1);
    if (last !== undefined && last !== file) {
      throw invalidRequest([
        { where: `body/${pointerStep(last.name)}`, what: 'must be sent before the file, which comes last' },
      ]);
    }
    isDone = (await steps.next()).done === true;
  }
  yield* file.chunks.splice(0);
}

/**
 * Parses a multipart body one piece further with each step, adds its parts to `parts`, and yields the bytes so far. It reads on only if it is asked to, so that an
 * operation which ignores a file leaves the rest of the body where it is.
 */
async function* parse(contentType: string, pieces: Pieces, parts: Part[]): AsyncGenerator<number> {
  // Loaded on first use: most APIs have no such form.
  const { Busboy } = await import('@fastify/busboy');
  const failures: unknown[] = [];
  const fail = (error: unknown) => void failures.push(error);
  const parser = createParser(Busboy, contentType);
  parser.on('error', fail);
  // Also counts the parts that are no fields.
  parser.on('partsLimit', () => fail(tooManyFields()));
  parser.on('file', (name, content, filename, encoding, type) => {
    const part: Part = { name, filename, contentType: type, chunks: [] };
    readPart(part, content, fail);
    if (name === undefined) fail(malformed('a part has no name'));
    if (!/^(7bit|8bit|binary)$/.test(encoding)) fail(malformed('a part has a Content-Transfer-Encoding'));
    parts.push(part);
  });
  let wake = () => {};
  parser.on('error', () => wake());
  const written = async (write: (done: () => void) => void) => {
    await new Promise<void>((resolve) => {
      wake = resolve;
      write(resolve);
    });
    // Streams deliver what they have in the next tick.
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (failures.length === 0) return;
    throw failures[0] instanceof ApiError ? failures[0] : malformed('it ends too early, or a part is cut off');
  };
  let size = 0;
  for await (const piece of pieces) {
    for (let start = 0; start < piece.length; start += SLICE) {
      await written((done) => void parser.write(piece.slice(start, start + SLICE), () => done()));
    }
    size += piece.length;
    yield size;
  }
  await written((done) => void parser.end(() => done()));
}

function createParser(Busboy: BusboyConstructor, contentType: string): BusboyInstance {
  try {
    // Every part is read as bytes, because Busboy would replace text that is not UTF-8.
    return new Busboy({
      headers: { 'content-type': contentType },
      isPartAFile: () => true,
      limits: { parts: MAX_FIELDS, headerSize: 8_192, headerPairs: 32 },
    });
  } catch {
    throw malformed('it has no boundary in its Content-Type');
  }
}

function readPart(part: Part, content: BusboyFileStream, fail: (error: unknown) => void): void {
  content.on('data', (chunk: Buffer) => void part.chunks.push(new Uint8Array(chunk)));
  content.on('error', fail);
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
