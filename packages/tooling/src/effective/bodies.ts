import { entriesOf } from '../common/json.ts';
import { kindOf } from '../contract/document.ts';
import { formFieldsOf } from '../contract/forms.ts';
import { sampleOf } from '../contract/sample.ts';
import { type Draft, isObject, type JsonObject } from './draft.ts';

/** Gives every JSON or text body an example, and writes the ones that it has in one form. */
export function completeContent(draft: Draft, key: string, part: JsonObject, isRequest: boolean): void {
  const { content } = part;
  if (!isObject(content)) return;
  const isJson = (type: string) => kindOf(type) === 'json';
  for (const [type, media] of Object.entries(content)) {
    if (!isObject(media)) continue;
    if (/[/+]xml$/.test(type) && Object.keys(content).some(isJson)) {
      delete content[type];
      draft.note(`${type} is left out, because the body is also documented as JSON.`, key);
      continue;
    }
    unifyExamples(draft, media);
    const kind = kindOf(type);
    if (media['examples'] !== undefined || kind === 'binary') continue;
    const sample = sampleOf(draft.document, media['schema'], isRequest);
    const text = kind === 'text' && typeof sample !== 'string' ? 'text' : sample;
    const value = kind === 'form' ? { ...Object(sample), ...sampleFiles(draft, type, media) } : text;
    media['examples'] = { sample: { value: JSON.parse(JSON.stringify(value ?? null)) } };
    draft.note('Bodies without an example get one from their schema.', key);
  }
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
