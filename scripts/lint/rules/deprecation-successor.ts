import { dig, type Location, type Rule } from '../redocly.ts';

/** The successor of a deprecated operation is an operation of this contract that stays. */
export const deprecationSuccessor: Rule = () => {
  const staying = new Set<string>();
  const successors: { name: string; location: Location }[] = [];
  return {
    Operation(operation, { location }) {
      const id = dig(operation, 'operationId');
      if (typeof id === 'string' && dig(operation, 'deprecated') !== true) staying.add(id);
      const name = dig(operation, 'x-deprecation', 'successor');
      if (typeof name === 'string') successors.push({ name, location: location.child(['x-deprecation', 'successor']) });
    },
    Root: {
      // Only at the end every operation has been seen.
      leave(_root, { report }) {
        for (const { name, location } of successors.filter((successor) => !staying.has(successor.name))) {
          const choice = [...staying].sort().join(', ');
          report({
            message: `"${name}" is no operation, or a deprecated one. Name one that stays: ${choice}.`,
            location,
          });
        }
      },
    },
  };
};
