import {
  headersWithType,
  type Reading,
  type SampleBody,
  type SampleField,
  type SampleRequest,
} from './sample-request.ts';

import { inSequence, type SampleStep, Stored } from './steps.ts';

type TypescriptReading = {
  /** How openapi-fetch reads the body. Default: as JSON. */
  parseAs?: 'text' | 'stream';
  /** The name of the body in the code. Default: the name of its schema. */
  name?: string;
  print: (name: string, request: SampleRequest) => string;
};

/** The imports of Node by what uses them. */
const modules = {
  createInterface: 'node:readline',
  Readable: 'node:stream',
  writeFile: 'node:fs/promises',
  readFile: 'node:fs/promises',
  openAsBlob: 'node:fs',
};

/** Reads a body line by line. */
export function eachLine(body: string, print: string): string {
  return `const lines = createInterface({
  input: Readable.from(${body}),
});
for await (const line of lines) {
  ${print}
}`;
}

const readings: Record<Reading, TypescriptReading> = {
  status: { name: 'response', print: () => 'console.log(response.status);' },
  json: { print: (name) => `console.log(${name});` },
  pages: { print: (name) => `console.log(${name});` },
  text: { parseAs: 'text', name: 'text', print: (name) => `console.log(${name});` },
  lines: {
    parseAs: 'stream',
    name: 'body',
    print: (name) => eachLine(`${name} ?? []`, 'console.log(line);'),
  },
  jsonLines: {
    parseAs: 'stream',
    name: 'body',
    print: (name) => eachLine(`${name} ?? []`, 'console.log(JSON.parse(line));'),
  },
  events: {
    parseAs: 'stream',
    name: 'body',
    print: (name) =>
      eachLine(`${name} ?? []`, "if (!line.startsWith('data: ')) continue;\n  console.log(JSON.parse(line.slice(6)));"),
  },
  file: {
    parseAs: 'stream',
    name: 'body',
    print: (name, { response }) => `await writeFile('${response.file}', ${name} ?? '');`,
  },
};

/**
 * The operation with the project's client, which waits after a 429, retries, and sends an `Idempotency-Key` by itself.
 */
export function typescriptSample(request: SampleRequest): string {
  const { baseUrl, entry, hasKeys, names, remarks, response } = request;
  const { keyPlaceholder, keyVariable, createClient, clientPackage } = names;
  const main = entry === undefined ? call(request, readings[response.reading]) : loop(request, entry);
  const imported = entry !== undefined ? `{\n  ${createClient},\n  paginate,\n}` : `{ ${createClient} }`;
  return `${remarks.map((remark) => `// ${remark}\n`).join('')}${importsOf(main)}import ${imported} from '${clientPackage}';

// After a 429, the client waits for Retry-After.
const store = ${createClient}({
${hasKeys ? `  apiKey: process.env.${keyVariable} ?? '${keyPlaceholder}',\n` : ''}  baseUrl: '${baseUrl}',
});

${inSequence(request, '//', stepCode, main)}`;
}

/** The imports of what the code uses of Node. */
export function importsOf(code: string): string {
  return Object.entries(modules)
    .filter(([name]) => code.includes(`${name}(`) || code.includes(`${name}.`))
    .map(([name, module]) => `import { ${name} } from '${module}';\n`)
    .join('');
}

/** `paginate` throws if the API refuses a request. */
function loop(request: SampleRequest, entry: string): string {
  const { path } = request;
  return `// Requests one page after the other, and throws errors.
const all = paginate(${args(`store, '${path}'`, init(request))});
for await (const ${entry} of all) {
  console.log(${entry});
}
`;
}

/** The variable for the response of a step: `addedNote`. */
export function resultOf({ request, from }: SampleStep): string {
  const { name } = request.response;
  return from === 'id' ? `added${name.charAt(0).toUpperCase()}${name.slice(1)}` : 'current';
}

function stepCode(step: SampleStep): string {
  const { request, from, stores } = step;
  const { method, path, summary } = request;
  const result = resultOf(step);
  const value = from === 'id' ? 'data.id' : "response.headers.get('ETag') ?? ''";
  return `// ${summary}
const ${result} = await store.${method}(${args(`'${path}'`, init(request))});
if (${result}.error) {
  throw new Error(${result}.error.message);
}
const ${stores.variable} = ${result}.${value};
`;
}

function call(request: SampleRequest, { parseAs, name = request.response.name, print }: TypescriptReading): string {
  const { method, path, headers } = request;
  const data = name === 'response' || name === 'data' ? name : `data: ${name}`;
  const comment = headers.some((header) => 'example' in header) ? '// The client adds an Idempotency-Key.\n' : '';
  const parts = { ...init(request), ...(parseAs === undefined ? {} : { parseAs: literal(parseAs) }) };
  return `${comment}const { ${data}, error } = await store.${method}(${args(`'${path}'`, parts)});
if (error) {
  throw new Error(\`\${error.code}: \${error.message}\`);
}
${print(name, request)}
`;
}

/** The second argument of the client's methods, with each property as code. */
function init(request: SampleRequest): Record<string, string> {
  const { pathValues, query, body } = request;
  // The client knows the media type of the body if the contract has only one.
  const headers = body?.isOneOfSeveral ? headersWithType(request) : request.headers;
  const values = headers.flatMap((header) => ('value' in header ? [[header.name, header.value] as const] : []));
  // `Accept` and `Content-Type` are not parameters of an operation.
  const isParameter = ([name]: readonly [string, unknown]) => name !== 'Accept' && name !== 'Content-Type';
  const parameters = { path: pathValues, query, header: Object.fromEntries(values.filter(isParameter)) };
  const filled = Object.entries(parameters).filter(([, group]) => Object.keys(group).length > 0);
  const others = values.filter((value) => !isParameter(value));
  return {
    ...(filled.length === 0 ? {} : { params: literal(Object.fromEntries(filled)) }),
    ...(others.length === 0 ? {} : { headers: literal(Object.fromEntries(others)) }),
    ...(body === undefined ? {} : { body: bodyCode(body) }),
  };
}

function bodyCode(body: SampleBody): string {
  if (body.sending === 'file') return `await readFile('${body.file}')`;
  if (body.sending === 'form') return formCode(body.fields);
  return literal(body.sending === 'json' ? body.value : body.text);
}

/** The client makes the form of an object. */
function formCode(fields: readonly SampleField[]): string {
  const properties = [...Map.groupBy(fields, ({ name }) => name)].map(([name, values]) => {
    const codes = values.map((field) =>
      'file' in field
        ? `new File([await openAsBlob('${field.file}')], '${field.file}', { type: '${field.mediaType}' })`
        : literal(field.value),
    );
    const value = values[0]?.isList === true ? `[${codes.join(', ')}]` : codes[0];
    return `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)}: ${value}`;
  });
  return `{ ${properties.join(', ')} }`;
}

/** The path alone, or with the second argument on separate lines, because the panel of samples is narrow. */
function args(path: string, parts: Record<string, string>): string {
  const properties = Object.entries(parts).map(([name, value]) => `  ${name}: ${value},\n`);
  return properties.length === 0 ? path : `${path}, {\n${properties.join('')}}`;
}

/** A value in the usual JavaScript style: no quotes around plain names, single quotes around texts. */
export function literal(value: unknown): string {
  if (value instanceof Stored) return value.variable;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return plainLiteral(value);
  const properties = Object.entries(value).map(([name, one]) => {
    if (one instanceof Stored && one.variable === name) return name;
    return `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)}: ${literal(one)}`;
  });
  return `{ ${properties.join(', ')} }`;
}

/** A text in single quotes, or in double quotes if it has single ones. JSON escapes all that JavaScript does. */
function plainLiteral(value: unknown): string {
  const json = JSON.stringify(value);
  if (typeof value !== 'string' || value.includes("'")) return String(json);
  return `'${json.slice(1, -1).replaceAll('\\"', '"')}'`;
}
