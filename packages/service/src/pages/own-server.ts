import { LRUCache } from 'lru-cache';
import type { Mode } from '../common/contract.ts';

/** The server that sends a page or the contract. */
export type OwnServer = { origin: string; basePath: string; baseUrl: string; mode: Mode; keyPrefix: string };

type ListedServer = { url: string };

const description = 'The server that sent this document';

/**
 * The contract as JSON with the sending server as its first one, unless it is listed, and with the address of that server in its
 * examples.
 */
export function jsonWithServer(json: string, own: OwnServer): string {
  const contract: { servers?: ListedServer[] } = JSON.parse(json);
  const { servers = [] } = contract;
  const isListed = servers.some(({ url }) => url === own.baseUrl);
  const others = JSON.stringify({ ...contract, servers: [] });
  const filled = withOwnOrigin(others, servers[0]?.url, own);
  if (isListed && filled === others) return json;
  return JSON.stringify({ ...JSON.parse(filled), servers: isListed ? servers : [entryOf(own), ...servers] });
}

/**
 * The contract as YAML with the sending server as its first one, unless it is listed, and with the address of that server in its
 * examples. Unchanged if the servers are not written as a list with dashes.
 */
export function yamlWithServer(yaml: string, own: OwnServer): string {
  const [head, indent = ''] = /^servers:[^\S\n]*(?:#.*)?\n(?:[^\S\n]*(?:#.*)?\n)*?([^\S\n]*)(?=- )/m.exec(yaml) ?? [];
  if (head === undefined) return yaml;
  const start = yaml.indexOf(head);
  const [, list = ''] = /^((?:[\s#-].*\n|\n)*)/.exec(yaml.slice(start + head.length)) ?? [];
  const urls = [...list.matchAll(/^[\s-]*url:\s*['"]?([^\s'"]+)/gm)].map(([, url]) => url);
  const lines = Object.entries(entryOf(own)).map(([name, value]) => `${name}: ${value}\n`);
  const entry = urls.includes(own.baseUrl) ? '' : `- ${lines.join(`${indent}  `)}${indent}`;
  const [before, after] = [yaml.slice(0, start), yaml.slice(start + head.length + list.length)].map((part) =>
    withOwnOrigin(part, urls[0], own),
  );
  return `${before}${head}${entry}${list}${after}`;
}

/** Contracts have the address of their first server in examples, such as that of the header `Location`. */
function withOwnOrigin(text: string, firstUrl: string | undefined, { origin }: OwnServer): string {
  return firstUrl !== undefined && URL.canParse(firstUrl)
    ? text.replaceAll(new URL(firstUrl).origin, () => origin)
    : text;
}

function entryOf({ baseUrl, mode }: OwnServer) {
  return { url: baseUrl, description, 'x-mode': mode };
}

/** Callers choose the origin with the Host header, unless PUBLIC_URL is set. Each origin costs memory. */
const maxOrigins = 16;
const oneMinute = 60_000;

/**
 * What was made for each origin: at most 32 MB, for at most 16 origins that were asked for in the last minute. Responses share it,
 * because those that no client reads would each keep their own.
 */
export class PerOrigin {
  readonly #origins = new LRUCache<string, true>({ max: maxOrigins, ttl: oneMinute, updateAgeOnGet: true });
  readonly #made = new LRUCache<string, Buffer, () => Promise<Buffer>>({
    maxSize: 32 * 1024 * 1024,
    sizeCalculation: ({ length }) => length || 1,
    // An entry that is evicted while it is made is still sent to those who wait for it.
    ignoreFetchAbort: true,
    fetchMethod: (_name, _stale, { context: make }) => make(),
  });

  /** Whether the origin may be filled in: false for one too many, and for none, if the Host header is not valid. */
  accepts(origin: string): boolean {
    if (origin === '') return false;
    if (this.#origins.get(origin) === true) return true;
    this.#origins.purgeStale();
    if (this.#origins.size >= maxOrigins) return false;
    this.#origins.set(origin, true);
    return true;
  }

  /** @param name what is made, with everything that it depends on, such as the origin */
  get(name: string, make: () => Promise<Buffer>): Promise<Buffer> {
    return this.#made.forceFetch(name, { context: make });
  }
}
