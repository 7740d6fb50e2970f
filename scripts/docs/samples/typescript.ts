import { inspect } from 'node:util';
import type { SampleRequest } from './request.ts';

/** The operation through our client. It waits after a 429, tries again, and sends an `Idempotency-Key`, by itself. */
export function typescriptSample(request: SampleRequest): string {
  const { baseUrl, isPaged, warning } = request;
  return `${warning === undefined ? '' : `// ${warning}\n`}import ${isPaged ? '{\n  createAnimalStore,\n  paginate,\n}' : '{ createAnimalStore }'} from '@animal-store/client';

// After a 429 it waits for Retry-After by itself.
const store = createAnimalStore({
  apiKey: process.env.ANIMAL_STORE_KEY ?? '',
  baseUrl: '${baseUrl}',
});

${isPaged ? loop(request) : call(request)}`;
}

/** `paginate` throws a refusal. */
function loop({ path, result, ...request }: SampleRequest): string {
  return `// One page after the other; throws what is refused.
const all = paginate(${args(`store, '${path}'`, init(request))});
for await (const ${result} of all) {
  console.log(${result});
}
`;
}

function call({ method, path, result, idempotencyKey, ...request }: SampleRequest): string {
  const data = result === undefined ? 'response' : result === 'data' ? 'data' : `data: ${result}`;
  const comment = idempotencyKey === undefined ? '' : '// The client sends an Idempotency-Key of its own.\n';
  return `${comment}const { ${data}, error } = await store.${method}(${args(`'${path}'`, init(request))});
if (error) {
  throw new Error(\`\${error.code}: \${error.message}\`);
}
console.log(${result ?? 'response.status'});
`;
}

type Parts = Pick<SampleRequest, 'pathValues' | 'query' | 'body'>;

/** What openapi-fetch takes as its second argument; undefined for nothing. */
function init({ pathValues, query, body }: Parts): object | undefined {
  const params = { ...given('path', pathValues), ...given('query', query) };
  const parts = { ...given('params', params), ...(body === undefined ? {} : { body }) };
  return Object.keys(parts).length === 0 ? undefined : parts;
}

function given(name: string, values: object): object {
  return Object.keys(values).length === 0 ? {} : { [name]: values };
}

/** The path alone, or with the further argument on lines of its own: the panel beside the reference is narrow. */
function args(path: string, parts: object | undefined): string {
  if (parts === undefined) return path;
  const properties = Object.entries(parts).map(([name, value]) => `  ${name}: ${literal(value)},\n`);
  return `${path}, {\n${properties.join('')}}`;
}

/** JavaScript as one writes it: no quotes around plain names, single ones around texts. */
function literal(value: unknown): string {
  return inspect(value, {
    breakLength: Number.POSITIVE_INFINITY,
    depth: null,
    maxArrayLength: null,
    maxStringLength: null,
  });
}
