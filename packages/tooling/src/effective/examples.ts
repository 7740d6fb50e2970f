import { createBodyCheck } from '@contract-first/service/body-check';
import { entriesOf, toPointer } from '../common/json.ts';
import { type ContractDocument, kindOf, operationsOf } from '../contract/document.ts';

/**
 * The examples that the server would not send: of an operation without code, the first one of the first successful response.
 *
 * @param known the operations that are not checked, such as `GET /notes`
 */
export function exampleProblems(
  document: ContractDocument,
  known: ReadonlySet<string | undefined>,
): { pointer: string; message: string }[] {
  const check = createBodyCheck(JSON.stringify(document));
  return operationsOf(document).flatMap(({ method, path, responses }) => {
    if (known.has(`${method} ${path}`)) return [];
    const success = responses.find(({ status }) => /^[23]/.test(status) && status !== '304');
    const [mediaType = '', media] = entriesOf(success?.content)[0] ?? [];
    const [name, example] = Object.entries(Object(media).examples ?? {})[0] ?? [];
    if (success === undefined || name === undefined || kindOf(mediaType) !== 'json') return [];
    const problems = check({ method, path }, Number(success.status), mediaType, Object(example).value);
    if (problems.length === 0) return [];
    const place = [method.toLowerCase(), 'responses', success.status, 'content', mediaType, 'examples', name];
    return [
      {
        pointer: toPointer(['paths', path, ...place]),
        message: `The example ${name} of ${success.status} is not as its schema says: ${problems.join('; ')}. Correct the example or the schema, or remove the example.`,
      },
    ];
  });
}
