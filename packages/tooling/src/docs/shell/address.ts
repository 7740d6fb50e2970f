import { posix } from 'node:path';

/**
 * The relative URL from one file of the site to another, so that the site works in any folder of any host. Both are paths
 * below the site's root; the target may have a fragment.
 */
export function relativeAddress(from: string, to: string): string {
  const [path = '', ...fragment] = to.split('#');
  const address = path === from && fragment.length > 0 ? '' : posix.relative(posix.dirname(from), path);
  return [address, ...fragment].join('#');
}
