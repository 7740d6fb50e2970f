import { operations } from '@animal-store/contract';

/** The Allow header of a path of the contract, by the rules of HTTP and not by the router. */
export function allowedMethods(path: string): string {
  const methods = Object.values(operations)
    .filter((operation) => operation.path === path)
    .map(({ method }) => method);
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}
