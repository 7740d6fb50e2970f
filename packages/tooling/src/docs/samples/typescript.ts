import { project } from '../../project.ts';
import { keyPlaceholder, keyVariable } from './request.ts';
import { callsOf, type JsonRequest, withVariables } from './sample-request.ts';

/** The operation with the project's client. */
export function typescriptSample(sample: JsonRequest): string {
  const { createClient, clientPackage } = project;
  const calls = callsOf(sample, '//').map(({ title, name, request: { method, path, response }, request }) => {
    // On separate lines, because the panel of samples is narrow.
    const properties = Object.entries(init(request)).map(([property, value]) => `  ${property}: ${value},\n`);
    const args = properties.length === 0 ? `'${path}'` : `'${path}', {\n${properties.join('')}}`;
    const isRead = response.reading === 'json';
    const result = name === undefined ? 'data' : `${request.id}Data`;
    const error = name === undefined ? 'error' : `${request.id}Error`;
    const results = name ? `data: ${result}, error: ${error}` : `${isRead ? 'data' : 'response'}, error`;
    return `${title}const { ${results} } = await store.${method}(${args});
if (${error}) {
  throw new Error(\`\${${error}.code}: \${${error}.message}\`);
}
${name ? `const ${name} = ${result}.id` : `console.log(${isRead ? result : 'response.status'})`};
`;
  });
  const key = sample.hasKeys ? `  apiKey: process.env.${keyVariable} ?? '${keyPlaceholder}',\n` : '';
  return `import { ${createClient} } from '${clientPackage}';

const store = ${createClient}({
${key}  baseUrl: '${sample.baseUrl}',
});

${calls.join('\n')}`;
}

/** The second argument of the client's methods, with each property as code. */
function init(request: JsonRequest): Record<string, string> {
  const { pathValues, query, body } = request;
  // The client knows the media type of the body if the contract has only one.
  const type = body?.isOneOfSeveral ? [{ name: 'Content-Type', value: body.mediaType }] : [];
  const headers = [...request.headers, ...type];
  // `Accept` and `Content-Type` are not parameters of an operation.
  const isParameter = ({ name }: { name: string }) => name !== 'Accept' && name !== 'Content-Type';
  const byName = (some: typeof headers) => Object.fromEntries(some.map(({ name, value }) => [name, value]));
  const parameters = { path: pathValues, query, header: byName(headers.filter(isParameter)) };
  const filled = Object.entries(parameters).filter(([, group]) => Object.keys(group).length > 0);
  const others = headers.filter((header) => !isParameter(header));
  return {
    ...(filled.length === 0 ? {} : { params: literal(Object.fromEntries(filled)) }),
    ...(others.length === 0 ? {} : { headers: literal(byName(others)) }),
    ...(body === undefined ? {} : { body: literal(body.value) }),
  };
}

/** A value in the usual JavaScript style: no quotes around plain names, single quotes around texts. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return plainLiteral(value);
  const properties = Object.entries(value).map(([name, one]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : plainLiteral(name);
    return literal(one) === key ? key : `${key}: ${literal(one)}`;
  });
  return `{ ${properties.join(', ')} }`;
}

/** A text in single quotes, or in double quotes if it has single ones. JSON escapes all that JavaScript does. */
function plainLiteral(value: unknown): string {
  const json = JSON.stringify(value);
  if (typeof value !== 'string' || value.includes("'")) return String(json);
  if (/^variable~\w+~$/.test(value)) return withVariables(value, (name) => name);
  return `'${json.slice(1, -1).replaceAll('\\"', '"')}'`;
}
