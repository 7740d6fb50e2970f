import { operations } from '@animal-store/contract';

/** The Allow header of a path of the contract, computed from the rules of HTTP, not by the router. */
export function allowedMethods(path: string): string {
  const methods = Object.values(operations)
    .filter((operation) => operation.path === path)
    .map(({ method }) => method);
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}
