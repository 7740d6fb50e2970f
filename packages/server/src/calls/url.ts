import { basePath, operations } from '@animal-store/contract';
import type { UrlOf } from './operation.ts';

/**
 * Addresses of operations, built from the contract's paths.
 *
 * @param origin scheme, host and port; empty for addresses relative to the server
 */
export function urlsAt(origin: string): UrlOf {
  return (id, { path, query = {} }) => {
    const values = new Map<string, unknown>(Object.entries(path ?? {}));
    const filled = operations[id].path.replace(/\{([^}]+)\}/g, (_, name: string) =>
      encodeURIComponent(String(values.get(name))),
    );
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
    return `${origin}${basePath}${filled}${search.size > 0 ? `?${search}` : ''}`;
  };
}
