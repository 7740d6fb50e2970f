/** Changes one thing in a copy of the contract. */
export type Edit = (contract: object) => void;

/** The real contract with one thing broken, and what lint has to say about it. */
export type BrokenCase = {
  rule: string;
  when: string;
  edits: readonly Edit[];
  /** JSON pointer of the finding. */
  at: string;
  says: string;
};

/** The contract in another shape that is as good: lint has to stay silent. */
export type SoundCase = { when: string; edits: readonly Edit[] };

/** Takes away what stands at a JSON pointer. */
export function remove(pointer: string): Edit {
  return (contract) => {
    const { parent, key } = find(contract, pointer);
    if (!(key in parent)) throw new Error(`Nothing to remove at ${pointer}`);
    if (Array.isArray(parent)) parent.splice(Number(key), 1);
    else Reflect.deleteProperty(parent, key);
  };
}

/** Puts a value at a JSON pointer, in place of what is there. */
export function set(pointer: string, value: unknown): Edit {
  return (contract) => {
    const { parent, key } = find(contract, pointer);
    Reflect.set(parent, key, value);
  };
}

/** Puts a copy of what stands at one JSON pointer at another. */
export function copy(from: string, to: string): Edit {
  return (contract) => {
    const { parent, key } = find(contract, from);
    set(to, structuredClone(Reflect.get(parent, key)))(contract);
  };
}

/** A copy of the contract with the edits made. */
export function edited(contract: object, edits: readonly Edit[]): object {
  const result = structuredClone(contract);
  for (const edit of edits) edit(result);
  return result;
}

function find(contract: object, pointer: string): { parent: object; key: string } {
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop();
  if (last === undefined) throw new Error('A pointer names something inside the contract.');
  const parent = keys.reduce<object>((node, key) => {
    const child: unknown = Reflect.get(node, key);
    if (typeof child !== 'object' || child === null) throw new Error(`${pointer} breaks off at ${key}`);
    return child;
  }, contract);
  return { parent, key: last };
}
