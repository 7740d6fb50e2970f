import { headersWithType, type Reading, type SampleBody, type SampleRequest } from './sample-request.ts';

/** `parseAs` is how openapi-fetch reads the body (default: as JSON), `name` is that of the body in the code (default: that of its schema). */
type TypescriptReading = {
  parseAs?: 'text' | 'stream';
  name?: string;
  print: (name: string, request: SampleRequest) => string;
};

/** The imports of Node by what uses them. */
const modules = {
  createInterface: 'node:readline',
  Readable: 'node:stream',
  writeFile: 'node:fs/promises',
  readFile: 'node:fs/promises',
};

const readings: Record<Reading, TypescriptReading> = {
  status: { name: 'response', print: () => 'console.log(response.status);' },
  json: { print: (name) => `console.log(${name});` },
  text: { parseAs: 'text', name: 'text', print: (name) => `console.log(${name});` },
  lines: {
    parseAs: 'stream',
    name: 'body',
    print: (name) => `const lines = createInterface({
  input: Readable.from(${name} ?? []),
});
for await (const line of lines) {
  console.log(line);
}`,
  },
  file: {
    parseAs: 'stream',
    name: 'body',
    print: (name, { response }) => `await writeFile('${response.file}', ${name} ?? '');`,
  },
};

/** The operation with the project's client. */
export function typescriptSample(request: SampleRequest): string {
  const { baseUrl, hasKeys, names, remarks, response, method, path } = request;
  const { keyPlaceholder, keyVariable, createClient, clientPackage } = names;
  const { parseAs, name = response.name, print } = readings[response.reading];
  const data = name === 'response' || name === 'data' ? name : `data: ${name}`;
  const parts = { ...init(request), ...(parseAs === undefined ? {} : { parseAs: literal(parseAs) }) };
  // On separate lines, because the panel of samples is narrow.
  const properties = Object.entries(parts).map(([property, value]) => `  ${property}: ${value},\n`);
  const args = properties.length === 0 ? `'${path}'` : `'${path}', {\n${properties.join('')}}`;
  const main = `const { ${data}, error } = await store.${method}(${args});
if (error) {
  throw new Error(\`\${error.code}: \${error.message}\`);
}
${print(name, request)}
`;
  const imports = Object.entries(modules)
    .filter(([used]) => main.includes(`${used}(`) || main.includes(`${used}.`))
    .map(([used, module]) => `import { ${used} } from '${module}';\n`);
  const key = hasKeys ? `  apiKey: process.env.${keyVariable} ?? '${keyPlaceholder}',\n` : '';
  return `${remarks.map((remark) => `// ${remark}\n`).join('')}${imports.join('')}import { ${createClient} } from '${clientPackage}';

const store = ${createClient}({
${key}  baseUrl: '${baseUrl}',
});

${main}`;
}

/** The second argument of the client's methods, with each property as code. */
function init(request: SampleRequest): Record<string, string> {
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
    ...(body === undefined ? {} : { body: bodyCode(body) }),
  };
}

function bodyCode(body: SampleBody): string {
  if (body.sending === 'file') return `await readFile('${body.file}')`;
  return literal(body.sending === 'json' ? body.value : body.text);
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
