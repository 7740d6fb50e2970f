import type { OperationFacts } from '../contract/facts.ts';

/** Requests that the contract refuses, each with what is wrong in it: text of `['query/limit', { … }]`. */
export function wrongRequests({ parameters, body }: OperationFacts): string[] {
  const restricted = parameters.filter(({ isRestricted }) => isRestricted);
  const inPath = restricted
    .filter((parameter) => parameter.in === 'path')
    .map(({ name }) => entry(`path/${name}`, `path: { ...valid.path, ${JSON.stringify(name)}: 'wrong' }`));
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.isRequired);
  const inQuery = [
    ...restricted.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
    'unknown',
  ].map((name) =>
    entry(
      `query/${name}`,
      `query: { ${required.length > 0 ? '...valid.query, ' : ''}${JSON.stringify(name)}: 'wrong' }`,
    ),
  );
  const inBody = (body?.required ?? []).map((name) => entry(`body/${name}`, 'body: {}'));
  return [...inPath, ...inQuery, ...inBody];
}

function entry(where: string, wrong: string): string {
  return `[${JSON.stringify(where)}, { ...valid, ${wrong} }]`;
}
