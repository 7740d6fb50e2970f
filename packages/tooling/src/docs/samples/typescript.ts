import { headersWithType, type JsonRequest } from './sample-request.ts';

/** The operation with the project's client. */
export function typescriptSample(request: JsonRequest): string {
  const { baseUrl, hasKeys, names, remarks, response, method, path } = request;
  const { keyPlaceholder, keyVariable, createClient, clientPackage } = names;
  const isRead = response.reading === 'json';
  const name = isRead ? response.name : 'response';
  // On separate lines, because the panel of samples is narrow.
  const properties = Object.entries(init(request)).map(([property, value]) => `  ${property}: ${value},\n`);
  const args = properties.length === 0 ? `'${path}'` : `'${path}', {\n${properties.join('')}}`;
  const key = hasKeys ? `  apiKey: process.env.${keyVariable} ?? '${keyPlaceholder}',\n` : '';
  return `${remarks.map((remark) => `// ${remark}\n`).join('')}import { ${createClient} } from '${clientPackage}';

const store = ${createClient}({
${key}  baseUrl: '${baseUrl}',
});

const { ${isRead && name !== 'data' ? `data: ${name}` : name}, error } = await store.${method}(${args});
if (error) {
  throw new Error(\`\${error.code}: \${error.message}\`);
}
console.log(${isRead ? name : 'response.status'});
`;
}

/** The second argument of the client's methods, with each property as code. */
function init(request: JsonRequest): Record<string, string> {
  const { pathValues, query, body } = request;
  // The client knows the media type of the body if the contract has only one.
  const headers = body?.isOneOfSeveral ? headersWithType(request) : request.headers;
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
  const properties = Object.entries(value).map(([name, one]) => `${propertyName(name)}: ${literal(one)}`);
  return `{ ${properties.join(', ')} }`;
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

/** A text in single quotes, or in double quotes if it has single ones. JSON escapes all that JavaScript does. */
function plainLiteral(value: unknown): string {
  const json = JSON.stringify(value);
  if (typeof value !== 'string' || value.includes("'")) return String(json);
  return `'${json.slice(1, -1).replaceAll('\\"', '"')}'`;
}
