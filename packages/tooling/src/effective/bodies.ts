import { dig, entriesOf } from '../common/json.ts';
import { kindOf } from '../contract/document.ts';
import { formFieldsOf } from '../contract/forms.ts';
import { sampleOf } from '../contract/sample.ts';
import { type Draft, isObject, type JsonObject } from './draft.ts';

/** Writes the media types of a body, their schemas and their examples in one form, and gives texts and forms an example. */
export function completeContent(draft: Draft, key: string, part: JsonObject, isRequest: boolean): void {
  if (!isObject(part['content'])) return;
  const content = servedContent(draft, key, part['content'], isRequest);
  part['content'] = content;
  for (const [type, media] of Object.entries(content)) {
    if (!isObject(media)) continue;
    unifyExamples(draft, media);
    const kind = kindOf(type);
    // `completeExamples` does it for JSON.
    if (media['examples'] !== undefined || kind === 'binary' || (kind === 'json' && !draft.isOurs)) continue;
    if (kind === 'form' && /"(style|explode|headers|allowReserved)":/.test(JSON.stringify(media['encoding'] ?? '')))
      draft.change('The encoding of a form is not read: an object is JSON, and a list has a field for each item.', key);
    const sample = sampleOf(draft.document, media['schema'], isRequest);
    const text = kind === 'text' && typeof sample !== 'string' ? 'text' : sample;
    const value = kind === 'form' ? { ...Object(sample), ...sampleFiles(draft, type, media) } : text;
    media['examples'] = { sample: { value: JSON.parse(JSON.stringify(value ?? null)) } };
  }
}

/** The media types that the server reads and writes: lower case, without parameters, and with schemas that fit them. */
function servedContent(draft: Draft, key: string, content: JsonObject, isRequest: boolean): JsonObject {
  const named = Object.entries(content).map(([type, media]): [string, JsonObject] => {
    const plain = (type.split(';')[0] ?? '').trim().toLowerCase();
    const given = isObject(media) ? media : {};
    const one = singleType(plain, isText(draft, given));
    if (one !== plain) draft.change(`Bodies of ${plain} are ${one}.`, key);
    return [one, given];
  });
  const json = named.find(([type]) => kindOf(type) === 'json')?.[1];
  const isLeftOut = ([type, media]: [string, JsonObject]) =>
    /[/+]xml$/.test(type) ||
    (isRequest ? false : kindOf(type) === 'events') ||
    /^multipart\/(?!form)/.test(type) ||
    (/^(text|binary)$/.test(kindOf(type)) &&
      !isText(draft, media) &&
      JSON.stringify(media['schema']) === JSON.stringify(json?.['schema']));
  const kept = named.filter((one) => json === undefined || !isLeftOut(one));
  for (const [type] of named.filter((one) => !kept.includes(one)))
    draft.change(`${type} is left out, because the body is also documented as JSON.`, key);
  for (const [type, media] of kept) fitSchema(draft, key, type, media);
  const served: JsonObject = {};
  for (const [type, media] of kept) {
    served[type] ??= media;
    if (JSON.stringify(dig(served[type], 'schema')) !== JSON.stringify(media['schema']))
      draft.change(`The server does not read parameters of media types: of several ${type}, the first is kept.`, key);
  }
  return served;
}

/** The media type that stands for a range. */
function singleType(type: string, isText: boolean): string {
  if (!type.includes('*')) return type;
  if (kindOf(type) === 'json' || (type === '*/*' && !isText)) return 'application/json';
  return kindOf(type) === 'text' ? 'text/plain' : 'application/octet-stream';
}

/** Whether a body is a text or bytes, because it has no schema or that of a string. */
function isText(draft: Draft, media: JsonObject): boolean {
  const schema = draft.resolve(media['schema']);
  return schema === undefined || [dig(schema, 'type')].flat().includes('string');
}

function fitSchema(draft: Draft, key: string, type: string, media: JsonObject): void {
  const kind = kindOf(type);
  if (kind === 'json' || kind === 'lines' || kind === 'events') media['schema'] ??= {};
  if (kind === 'lines' || kind === 'events') media['x-stream'] ??= true;
  const schema = draft.resolve(media['schema']);
  if ((kind !== 'text' && kind !== 'binary') || schema === undefined) return;
  if (isText(draft, media) && (dig(schema, 'format') === 'binary') === (kind === 'binary')) return;
  if (!isText(draft, media) && JSON.stringify(schema) !== '{}')
    draft.change(`${type} is ${kind === 'text' ? 'text' : 'bytes'}, so its schema is not checked.`, key);
  if (kind === 'text') media['schema'] = { type: 'string' };
  else delete media['schema'];
}

/** A text stands for the content of each file. */
function sampleFiles({ document }: Draft, type: string, media: JsonObject): JsonObject {
  const files = Object.entries(formFieldsOf(document, type, media)).filter(([, { file }]) => file !== undefined);
  return Object.fromEntries(files.map(([name, { isList }]) => [name, isList ? ['text'] : 'text']));
}

/** Writes the examples of a media type under `examples`, without references. */
function unifyExamples(draft: Draft, media: JsonObject): void {
  const { example } = media;
  if (example !== undefined) {
    delete media['example'];
    media['examples'] = { example: { value: example } };
  }
  for (const [name, one] of entriesOf(media['examples'])) {
    const found = draft.resolve(one);
    if (isObject(media['examples']) && isObject(found)) media['examples'][name] = structuredClone(found);
  }
}
