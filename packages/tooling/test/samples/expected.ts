import { inspect } from 'node:util';
import { entriesOf } from '../../src/common/json.ts';
import type { SampleLanguage } from '../../src/docs/samples/languages.ts';
import { jsonOf, type SampleBody, type SampleRequest, withVariables } from '../../src/docs/samples/sample-request.ts';
import { bytes, exampleBody } from './contract-host.ts';

/** By operation, those that its sample needs besides the one that creates the resource in its path. */
type Needs = Readonly<Record<string, readonly string[]>>;

/** The operations that run before a sample; among them the one that creates the resource in its path. */
function before({ id, path }: SampleRequest, requests: readonly SampleRequest[], needs: Needs): readonly string[] {
  const [collection] = path.split('/{');
  const creating = requests.find((one) => one.method === 'POST' && one.path === collection && one.id !== id);
  const creation = creating === undefined ? [] : [...(needs[creating.id] ?? []), creating.id];
  return [...new Set([...creation, ...(needs[id] ?? [])])];
}

/** Creates the data that the contract's example of the response shows. */
export async function prepare(
  server: { url: string; key: string },
  id: string,
  requests: readonly SampleRequest[],
  needs: Needs,
): Promise<void> {
  const own = requests.find((one) => one.id === id);
  for (const step of own === undefined ? [] : before(own, requests, needs)) {
    const request = requests.find((one) => one.id === step);
    if (request === undefined) throw new Error(`The contract has no operation ${step}.`);
    const { method, path, body } = request;
    const authorization = { authorization: `Bearer ${server.key}` };
    // The first resource of each collection, as in the examples.
    const url = `${server.url}/v1${path.replaceAll(/\{[^}]+\}/g, '1')}`;
    const response = await (body === undefined
      ? fetch(url, { method, headers: authorization })
      : fetch(url, {
          method,
          headers: { ...authorization, 'content-type': body.mediaType },
          body: bodyOf(body),
        }));
    if (!response.ok) throw new Error(`${step} answered ${response.status}: ${await response.text()}`);
  }
}

function bodyOf(body: SampleBody): string | Uint8Array<ArrayBuffer> {
  if (body.sending === 'file') return new Uint8Array(bytes);
  // The first resource is the one to order.
  return body.sending === 'json' ? withVariables(jsonOf(body), () => '1') : body.text;
}

/** How a language prints a value that it read from JSON; undefined if it prints the text unchanged. */
const values: Record<SampleLanguage, ((value: unknown) => string) | undefined> = {
  curl: undefined,
  typescript: (value) => `${inspect(value)}\n`,
  python: (value) => `${pythonText(value)}\n`,
  go: undefined,
  java: undefined,
};

/** The output of a sample if the response is the contract's example, with `items` items in a stream. */
export function printed(language: SampleLanguage, request: SampleRequest, items = 1): string {
  const { reading, example, status } = request.response;
  if (reading === 'status') return `${status}\n`;
  if (reading === 'file') return '';
  const print = values[language];
  if (reading === 'json' && print !== undefined) return print(matching(example, request.query));
  const isRaw = reading === 'lines' || language === 'curl' || language === 'go';
  const body = reading === 'json' ? JSON.stringify(matching(example, request.query)) : exampleBody(request, items);
  return `${String(body)}${isRaw ? '' : '\n'}`;
}

/** The output with the key ID of the contract's examples. */
export function comparable(stdout: string): string {
  return stdout.replaceAll(/\bkey_[0-9a-v]{16}\b/g, 'key_0123456789abcdef');
}

/** The entries of the example that match the sample's filters; a filter with several values matches any of them. */
function matching(example: unknown, query: SampleRequest['query']): unknown {
  if (!Array.isArray(example)) return example;
  const names = new Set(example.flatMap((entry) => entriesOf(entry).map(([name]) => name)));
  const filters = Object.entries(query).filter(([name]) => names.has(name));
  return example.filter((entry) => filters.every(([name, value]) => [value].flat().includes(Object(entry)[name])));
}

/** A value as Python prints it after reading it from JSON. */
function pythonText(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonText).join(', ')}]`;
  // Like Python, inspect uses double quotes for a text that contains a single quote.
  if (typeof value !== 'object') return inspect(value);
  return `{${entriesOf(value)
    .map(([name, one]) => `'${name}': ${pythonText(one)}`)
    .join(', ')}}`;
}
