import { dig, entriesOf } from '../../common/json.ts';
import { kindOf } from '../../contract/document.ts';
import { fieldSchemasOf, inPlace, isFile, multipart, typesOf } from '../../contract/forms.ts';
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
  if (dig(node, 'x-stream') === undefined) return undefined;
  const whole = 'The server reads a form as a whole. Remove x-stream, or send the file alone, as its own body.';
  return { message: whole, at: 'x-stream' };
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
