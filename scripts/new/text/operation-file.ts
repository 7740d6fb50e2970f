import type { OperationFacts } from '../contract/facts.ts';

/** The file of an operation that compiles and is still to be written. */
export function operationFile({ id, summary, parameters, body }: OperationFacts): string {
  const given = [
    ...(parameters.some((parameter) => parameter.in === 'path') ? ['path'] : []),
    ...(parameters.some((parameter) => parameter.in === 'query') ? ['query'] : []),
    ...(body === undefined ? [] : ['body']),
  ];
  const call = given.length === 0 ? '' : `{ ${given.join(', ')} }: Call<'${id}'>`;
  const message =
    given.length === 0
      ? `'${id} is not written yet.'`
      : `\`${id} is not written yet; it was called with \${JSON.stringify({ ${given.join(', ')} })}.\``;
  return `import type { ${given.length === 0 ? '' : 'Call, '}Result } from './operation.ts';

/** ${asSentence(summary)} */
export async function ${id}(${call}): Promise<Result<'${id}'>> {
  throw new Error(${message});
}
`;
}

function asSentence(summary: string): string {
  const safe = summary.trim().replaceAll('*/', '* /').replaceAll(/\s+/g, ' ');
  return /[.!?]$/.test(safe) ? safe : `${safe}.`;
}
