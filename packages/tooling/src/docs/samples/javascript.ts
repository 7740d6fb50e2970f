import {
  addressOf,
  headersWithType,
  type Reading,
  type SampleBody,
  type SampleHeader,
  type SampleRequest,
  urlEncodedText,
} from './sample-request.ts';
import { inSequence, type SampleStep, Stored } from './steps.ts';
import { eachLine, importsOf, literal, resultOf } from './typescript.ts';

const lines = (print: string) => eachLine('response.body', print);

/** The code for a response that has arrived. */
const readings: Record<Exclude<Reading, 'pages'>, (request: SampleRequest) => string> = {
  status: () => 'console.log(response.status);',
  json: () => 'console.log(await response.json());',
  text: () => 'console.log(await response.text());',
  lines: () => lines('console.log(line);'),
  jsonLines: () => lines('console.log(JSON.parse(line));'),
  events: () => lines("if (!line.startsWith('data: ')) continue;\n  console.log(JSON.parse(line.slice(6)));"),
  file: ({ response }) => `await writeFile('${response.file}', response.body);`,
};

/** The operation with the `fetch` of Node.js, Deno and Bun: `node sample.mjs` runs it. */
export function javascriptSample(request: SampleRequest): string {
  const { remarks, response, secrets } = request;
  const { reading } = response;
  const main = reading === 'pages' ? loop(request) : `${call('response', request)}${readings[reading](request)}\n`;
  const code = inSequence(request, '//', stepCode, main);
  const keys = secrets.map(
    ({ variable }, index) =>
      `const ${keyName(index)} = process.env.${variable} ?? '${request.names.keyPlaceholder}';\n`,
  );
  const endless = ['lines', 'jsonLines', 'events'].includes(reading);
  const options = endless ? 'options' : '{\n      ...options,\n      signal: AbortSignal.timeout(30_000),\n    }';
  const imports = importsOf(code);
  return `${remarks.map((remark) => `// ${remark}\n`).join('')}${imports}${imports === '' ? '' : '\n'}${keys.join('')}${keys.length === 0 ? '' : '\n'}// After a 429, it waits for Retry-After.
async function send(url, options) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url, ${options});
    if (response.ok) return response;
    if (response.status !== 429 || attempt === 4) {
      throw new Error(await response.text());
    }
    const wait = response.headers.get('Retry-After') ?? 60;
    await new Promise((done) => setTimeout(done, wait * 1000));
  }
}

${code}`;
}

function keyName(index: number): string {
  return index === 0 ? 'key' : `key${index + 1}`;
}

function stepCode(step: SampleStep): string {
  const result = resultOf(step);
  const value = step.from === 'id' ? `(await ${result}.json()).id` : `${result}.headers.get('ETag')`;
  return `// ${step.request.summary}\n${call(result, step.request)}const ${step.stores.variable} = ${value};\n`;
}

function call(result: string, request: SampleRequest): string {
  return `${form(request.body)}const ${result} = await send(${parameters(url(request), request, '')});\n`;
}

function loop(request: SampleRequest): string {
  const { name } = request.response;
  return `let url = ${url(request)};
while (url) {
  const page = await send(${parameters('url', request, '  ')});
  const entries = await page.json();
  for (const ${name} of entries) {
    console.log(${name});
  }
  const links = page.headers.get('Link') ?? '';
  url = links.match(/<([^>]+)>; rel="next"/)?.[1];
}
`;
}

function url(request: SampleRequest): string {
  const address = request.baseUrl + addressOf(request, (variable) => `\${${variable}}`);
  return address.includes('${') ? `\`${address}\`` : literal(address);
}

function parameters(url: string, request: SampleRequest, indent: string): string {
  const { method, body, secrets } = request;
  const isForm = body?.sending === 'form' && body.isMultipart;
  const headers = [
    ...secrets.map(({ name, prefix }, index) => `${property(name)}: \`${prefix}\${${keyName(index)}}\`,`),
    ...headersWithType(request).map((header) => `${property(header.name)}: ${headerValue(header)},`),
  ];
  const lines = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(headers.length === 0 ? [] : ['headers: {', ...headers.map((header) => `  ${header}`), '},']),
    ...(body === undefined ? [] : [isForm ? 'body: form,' : `body: ${bodyCode(body)},`]),
  ];
  return `${url}, {\n${lines.map((line) => `${indent}  ${line}\n`).join('')}${indent}}`;
}

function property(name: string): string {
  return /^[A-Za-z]+$/.test(name) ? name : literal(name);
}

function headerValue(header: SampleHeader): string {
  if (!('value' in header)) return 'crypto.randomUUID()';
  return header.value instanceof Stored ? header.value.variable : literal(String(header.value));
}

function bodyCode(body: SampleBody): string {
  if (body.sending === 'json') return `JSON.stringify(${literal(body.value)})`;
  if (body.sending === 'file') return `await readFile('${body.file}')`;
  return literal(body.sending === 'text' ? body.text : urlEncodedText(body.fields));
}

/** The statements that make a form with files. `fetch` adds its Content-Type. */
function form(body: SampleBody | undefined): string {
  if (body?.sending !== 'form' || !body.isMultipart) return '';
  const fields = body.fields.map((field) => {
    const value =
      'file' in field
        ? `await openAsBlob('${field.file}', { type: '${field.mediaType}' }), '${field.file}'`
        : literal(field.text);
    return `form.append(${literal(field.name)}, ${value});\n`;
  });
  return `const form = new FormData();\n${fields.join('')}`;
}
