import { dig, entriesOf, listOf } from '../common/json.ts';
import { flat, typesOf } from '../contract/pagination.ts';
import { handledHeaders, isOfHttp } from '../lint/rules/parameters.ts';
import { type Draft, isObject, type Json, type JsonObject } from './draft.ts';
import { sentenceOf } from './names.ts';

/**
 * The parameters that the server reads, each as a plain value or as a list in the query: an object in the query is a parameter for each of
 * its properties, as it is sent.
 *
 * @param place the method and the path
 */
export function completeParameters(draft: Draft, place: string, holder: JsonObject): void {
  const given = holder['parameters'];
  if (!Array.isArray(given)) return;
  holder['parameters'] = given.flatMap((parameter): Json[] => {
    const found = draft.resolve(parameter);
    if (!isObject(found)) return [parameter];
    found['description'] ??= sentenceOf(String(found['name']));
    return served(draft, place, found, parameter);
  });
}

/** @param reference the parameter as it is written */
function served(draft: Draft, key: string, parameter: JsonObject, reference: Json): Json[] {
  const name = String(parameter['name']);
  const lower = name.toLowerCase();
  const place = parameter['in'];
  if (place === 'header' && isOfHttp(lower)) {
    draft.change(`${name} is a header of HTTP, which no operation reads: it is left out.`, key);
    return [];
  }
  if (place === 'cookie' && parameter['required'] !== true) {
    draft.change(`The cookie ${name} is left out, because the server reads none.`, key);
    return [];
  }
  const known = handledHeaders.find((one) => one.toLowerCase() === lower);
  if (place === 'header' && known !== undefined) parameter['name'] = known;
  if ('allowEmptyValue' in parameter) {
    delete parameter['allowEmptyValue'];
    draft.change('allowEmptyValue is left out: a parameter without a value is refused.', key);
  }
  if (parameter['schema'] === undefined) {
    const [type] = entriesOf(parameter['content']).map(([one]) => one);
    delete parameter['content'];
    parameter['schema'] = { type: 'string', ...(type === undefined ? {} : { contentMediaType: type }) };
    if (type !== undefined) draft.change(`The operation reads ${type} in a parameter as text.`, key);
    return [reference];
  }
  const types = typesOf(flat(draft.document, parameter['schema']));
  if (place === 'query' && /^(pipe|space)Delimited$/.test(String(parameter['style']))) {
    parameter['explode'] ??= false;
    if (!types.includes('array') || parameter['explode'] === true) delete parameter['style'];
  }
  const isDeep = place === 'query' && parameter['style'] === 'deepObject';
  if (isDeep && types.includes('array') && !types.includes('object')) {
    Object.assign(parameter, { name: `${name}[]`, style: 'form', explode: true });
    draft.note('A list in the query with the style deepObject is sent as `name[]=1&name[]=2`.', key);
  }
  const choices = listOf(dig(draft.resolve(parameter['schema']), 'anyOf'));
  const object = choices.find((one) => typesOf(flat(draft.document, one)).includes('object'));
  if (isDeep && object !== undefined) {
    const { style: _, ...plain } = parameter;
    const anyOf = JSON.parse(JSON.stringify(choices.filter((one) => one !== object)));
    const deep = { ...parameter, required: false, schema: JSON.parse(JSON.stringify(object)) };
    return [{ ...plain, required: false, schema: { anyOf } }, ...properties(draft, key, deep, name)];
  }
  const isPlain = !types.includes('object') && (place === 'query' || !types.includes('array'));
  // The text 5 is a text and a number, so it may be valid for several alternatives.
  const { oneOf, ...rest } = Object(draft.resolve(parameter['schema']));
  if (isPlain && oneOf !== undefined) parameter['schema'] = { ...rest, anyOf: oneOf };
  if (isPlain) return [reference];
  if (place === 'query') return properties(draft, key, parameter, name);
  parameter['schema'] = { type: 'string' };
  draft.change('A list or an object in a path or a header is read as text.', key);
  return [reference];
}

/** An object in the query: `filter[state]=open` with the style deepObject, and `state=open` otherwise. */
function properties(draft: Draft, key: string, parameter: JsonObject, prefix: string, around: string[] = []): Json[] {
  const object = flat(draft.document, parameter['schema']);
  const isDeep = parameter['style'] === 'deepObject';
  const { style: _style, explode: _explode, required, example: _example, examples: _examples, ...rest } = parameter;
  const all = entriesOf(object['properties']);
  if (all.length === 0 || parameter['explode'] === false) {
    draft.change(
      `The object ${prefix} in the query is left out: the contract does not say which parameters it has.`,
      key,
    );
    return [];
  }
  draft.note('An object in the query is a parameter for each of its properties, as it is sent.', key);
  return all.flatMap(([property, schema]): Json[] => {
    const part: JsonObject & { name: string } = {
      ...structuredClone(rest),
      name: isDeep ? `${prefix}[${property}]` : property,
      description: String(dig(schema, 'description') ?? parameter['description']),
      required: required === true && listOf(object['required']).includes(property),
      schema: JSON.parse(JSON.stringify(schema)),
      ...(isDeep ? { style: 'deepObject' } : {}),
    };
    const { style: _, ...plain } = part;
    if (!typesOf(flat(draft.document, schema)).includes('object')) return [plain];
    const inside = [...around, JSON.stringify(parameter['schema'])];
    if (inside.length < 4 && !inside.includes(JSON.stringify(schema)))
      return properties(draft, key, part, part.name, inside);
    draft.change('Objects in the query that contain themselves, or are four levels deep, are left out.', key);
    return [];
  });
}
