import { closing, openCompilerOf, schemaProblems } from '@contract-first/service/body-check';
import { withoutExamples } from '@contract-first/service/document';
import { dig, entriesOf, keysOf, toPointer } from '../common/json.ts';
import { kindOf, resolve } from '../contract/document.ts';
import { operationsIn } from '../contract/parse.ts';
import { sampleOf } from '../contract/sample.ts';
import { isObject, type Problem } from './draft.ts';

/** Why neither the server nor Redocly reads a schema: their call stacks end. */
export const longRow =
  'This schema leads through too long a row of others, of which the server checks about 100. Nest fewer in each other.';

/**
 * Leaves out the examples of JSON bodies and schemas that are not allowed. A body without one gets a sample of its schema, if one is found that
 * is allowed: a test server answers with it.
 */
export function completeExamples(document: object): Problem[] {
  const [ofResponses, ofRequests] = [checkerOf(document, 'writeOnly'), checkerOf(document, 'readOnly')];
  const bare = withoutExamples({ components: dig(document, 'components') });
  const seen = new Map<unknown, string | undefined>();
  return operationsIn(document).flatMap(({ key, at, operation }) => {
    const responses = entriesOf(dig(operation, 'responses')).filter(([status]) => /^[2-5]/.test(status));
    const bodies = [
      { isRequest: true, place: ['requestBody'], body: dig(operation, 'requestBody') },
      ...responses.map(([status, body]) => ({ isRequest: false, place: ['responses', status], body })),
    ];
    return bodies.flatMap(({ isRequest, place, body }) =>
      entriesOf(dig(resolve(document, body), 'content')).flatMap(([type, media]) => {
        const schema = dig(media, 'schema');
        if (kindOf(type) !== 'json' || !isObject(schema) || !isObject(media)) return [];
        const known = seen.has(media);
        const message = known ? seen.get(media) : completeMedia(media, schema, isRequest);
        seen.set(media, message);
        const pointer = toPointer([...keysOf(at), ...place, 'content', type, 'schema']);
        return message === undefined ? [] : [{ operation: key, pointer, message }];
      }),
    );
  });

  /** The first allowed sample: with the examples of schemas or without, with other alternatives of compositions, or with as little as possible. */
  function allowedSample(schema: object, isRequest: boolean, isAllowed: (value: unknown) => boolean): unknown {
    for (const choice of [0, 1, 2, 3]) {
      const samples = [
        sampleOf(document, schema, isRequest, choice),
        sampleOf(bare, withoutExamples(schema), isRequest, choice),
      ];
      const found = samples.find(isAllowed);
      if (found !== undefined) return found;
    }
    const sparse = sampleOf(bare, withoutExamples(schema), isRequest, 0, true);
    return isAllowed(sparse) ? sparse : undefined;
  }

  /** @returns why the schema cannot be checked */
  function completeMedia(media: object, schema: object, isRequest: boolean): string | undefined {
    try {
      const problemsOf = (isRequest ? ofRequests : ofResponses)(schema);
      const isAllowed = (value: unknown) => value !== undefined && problemsOf(value).length === 0;
      const given = entriesOf(dig(media, 'examples'));
      const allowed = given.filter(([, example]) => isAllowed(dig(example, 'value')));
      const sample = allowed.length > 0 ? undefined : allowedSample(schema, isRequest, isAllowed);
      const isMade = sample !== undefined;
      const examples = isMade ? [['sample', { value: structuredClone(sample) }]] : allowed;
      Reflect.deleteProperty(media, 'examples');
      if (examples.length > 0) Object.assign(media, { examples: Object.fromEntries(examples) });
      return undefined;
    } catch (error) {
      if (error instanceof RangeError) return longRow;
      return `The server cannot check this schema: ${error instanceof Error ? error.message : error}.`;
    }
  }
}

/** Says what a body has that its schema does not allow. @throws Error if the schema cannot be compiled */
function checkerOf(
  document: object,
  hidden: 'readOnly' | 'writeOnly',
): (schema: object) => (body: unknown) => string[] {
  const close = closing(Object(document), hidden);
  const compile = openCompilerOf(Object({ components: close(dig(document, 'components')) }));
  return (schema) => {
    const validate = compile(Object(close(schema)));
    return (body) => schemaProblems(validate, body);
  };
}
