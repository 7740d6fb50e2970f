/** A value that a sample has stored in a variable before it sends a request. As text and as JSON, it is the contract's example. */
export class Stored {
  /** Such as `noteId`. */
  readonly variable: string;
  readonly example: string | number;

  constructor(variable: string, example: string | number) {
    this.variable = variable;
    this.example = example;
  }

  toString(): string {
    return String(this.example);
  }

  toJSON(): string | number {
    return this.example;
  }
}

/** The JSON text of a value, split at each variable. */
export function jsonParts(value: unknown): (string | Stored)[] {
  const found: Stored[] = [];
  const text = JSON.stringify(marked(value, found));
  return text.split('"\\u0000"').flatMap((part, index) => {
    const stored = found[index];
    return stored === undefined ? [part] : [part, stored];
  });
}

/** Contracts do not have the null character in their examples. */
function marked(value: unknown, found: Stored[]): unknown {
  if (value instanceof Stored) {
    found.push(value);
    return '\u0000';
  }
  if (Array.isArray(value)) return value.map((one) => marked(one, found));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, marked(one, found)]));
}

/** A variable's name in the style of shells and Python: `note_id`. */
export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
