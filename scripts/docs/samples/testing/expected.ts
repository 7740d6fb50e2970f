import { inspect } from 'node:util';
import type { TestServer } from '../../../../packages/server/test/harness.ts';
import { entriesOf } from '../../../lint/redocly.ts';
import type { SampleRequest } from '../request.ts';
import type { SampleLanguage } from '../samples.ts';

/**
 * The operations whose sample requests are sent before an operation's own samples run; none for one that is not named.
 * A new operation whose sample needs something in the store names it here.
 */
const before: Record<string, readonly string[]> = {
  listPets: ['createPet'],
  getPet: ['createPet'],
  createOrder: ['createPet'],
  listOrders: ['createPet', 'createOrder'],
  getOrder: ['createPet', 'createOrder'],
  completeOrder: ['createPet', 'createOrder'],
  cancelOrder: ['createPet', 'createOrder'],
};

/** Brings about what the contract's example of the reply speaks of. */
export async function prepare(server: TestServer, id: string, requests: readonly SampleRequest[]): Promise<void> {
  for (const step of before[id] ?? []) {
    const request = requests.find((one) => one.id === step);
    if (request === undefined)
      throw new Error(`The contract has no operation ${step}: correct what ${id} needs before.`);
    const reply = await fetch(`${server.url}/v1${request.path}`, {
      method: request.method,
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(request.body),
    });
    if (!reply.ok) throw new Error(`${step} answered ${reply.status}: ${await reply.text()}`);
  }
}

/** What a sample prints, headers apart, when the server answers the contract's example. */
export function printed(language: SampleLanguage, { example, query, isPaged }: SampleRequest): string {
  const shown = isPaged ? matching(example, query) : example;
  const entries = isPaged && Array.isArray(shown) ? shown : [shown];
  if (language === 'typescript') return entries.map((value) => `${inspect(value)}\n`).join('');
  if (language === 'python') return entries.map((value) => `${pythonText(value)}\n`).join('');
  return `${JSON.stringify(shown)}${language === 'java' ? '\n' : ''}`;
}

/** The output without the headers that `curl --include` puts above the body, and with the key ID of the contract's examples. */
export function comparable(stdout: string): string {
  const body = stdout.startsWith('HTTP/') ? stdout.slice(stdout.lastIndexOf('\r\n\r\n') + 4) : stdout;
  return body.replaceAll(/\bkey_[0-9a-v]{16}\b/g, 'key_0123456789abcdef');
}

/** The entries of the example that the sample's filters let through. */
function matching(example: unknown, query: SampleRequest['query']): unknown {
  if (!Array.isArray(example)) return example;
  const names = new Set(example.flatMap((entry) => entriesOf(entry).map(([name]) => name)));
  const filters = Object.entries(query).filter(([name]) => names.has(name));
  return example.filter((entry) => filters.every(([name, value]) => Object(entry)[name] === value));
}

/** As Python prints what it read from JSON. */
function pythonText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return inspect(value);
  return `{${entriesOf(value)
    .map(([name, one]) => `'${name}': ${pythonText(one)}`)
    .join(', ')}}`;
}
