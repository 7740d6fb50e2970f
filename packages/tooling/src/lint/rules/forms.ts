import { dig, entriesOf } from '../../common/json.ts';
import { kindOf } from '../../contract/document.ts';
import { fieldSchemasOf, formFieldsOf, inPlace, isFile, multipart, typesOf } from '../../contract/forms.ts';
import type { Named } from '../served.ts';
import type { Mistake } from './media-types.ts';

/** The first mistake of a form in a request: what the server could not read as it is documented. */
export function formMistake(document: unknown, { name, node }: Named, isRequest: boolean): Mistake | undefined {
  if (!isRequest || kindOf(name) !== 'form') return undefined;
  const parts = inPlace(document, dig(node, 'schema'));
  if (!parts.some((part) => dig(part, 'type') === 'object' || dig(part, 'properties') !== undefined)) {
    return {
      message: 'A form is an object with a property for each field. Add "schema: { type: object, properties: … }".',
    };
  }
  const fields = [...fieldSchemasOf(document, node)];
  const ofField = fields.map(([field, schemas]) => fieldMistake(document, name, field, schemas));
  const message = ofField.find((one) => one !== undefined);
  if (message !== undefined) return { message, at: 'schema' };
  const isStreamed = dig(node, 'x-stream') !== undefined;
  if (isStreamed)
    return {
      message: 'The server reads a form as a whole. Remove x-stream, or send the file alone, as its own body.',
      at: 'x-stream',
    };
  return encodingMistake(document, name, node);
}

function fieldMistake(document: unknown, type: string, name: string, schemas: unknown[]): string | undefined {
  const types = typesOf(document, schemas);
  types.delete('null');
  if (types.has('array') && types.size > 1) {
    return `The field ${name} is a list or a single value, which look the same in a form. Make it a list only.`;
  }
  const own = schemas.flatMap((schema) => inPlace(document, schema));
  const items = own.map((part) => dig(part, 'items')).filter((item) => item !== undefined);
  if (types.has('array') && typesOf(document, items).has('array')) {
    return `The field ${name} is a list of lists, which a form cannot express. Use application/json.`;
  }
  const parts = types.has('array') ? items.flatMap((item) => inPlace(document, item)) : own;
  if (isFile(parts) && type !== multipart) {
    // Without a type, the field is text.
    return parts.some((part) => entriesOf(part).some(([word]) => /^(format|contentMediaType)$/.test(word)))
      ? `The field ${name} is a file, which ${type} cannot carry. Use multipart/form-data.`
      : undefined;
  }
  return undefined;
}

function encodingMistake(document: unknown, type: string, node: unknown): Mistake | undefined {
  const fields = formFieldsOf(document, type, node);
  for (const [name, encoding] of entriesOf(dig(node, 'encoding'))) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    for (const [key, value] of entriesOf(encoding)) {
      const isDefault = (key === 'style' && value === 'form') || (key === 'explode' && value === true);
      if (isDefault || key.startsWith('x-') || field === undefined) continue;
      const isJson = field.types.includes('object');
      if (key === 'contentType' && (field.file !== undefined || value === (isJson ? 'application/json' : 'text/plain')))
        continue;
      const message = `The field ${name} is sent as plain text, as JSON if it is an object, and once for each item of a list. Remove ${key}.`;
      return { message, at: 'encoding' };
    }
  }
  return undefined;
}
