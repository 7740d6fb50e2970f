import { entriesOf } from '../common/json.ts';

/** The longest line of written code. */
const WIDTH = 120;

/**
 * A JSON value as TypeScript, formatted as Biome would: single quotation marks, no quotation marks around names, and one line if it fits.
 *
 * @param indent the spaces before the line in which it stands
 */
export function literal(value: unknown, indent = 0): string {
  const inLine = lineOf(value);
  // The line also has what is before and after the value.
  if (inLine.length + indent + 20 <= WIDTH || typeof value !== 'object' || value === null) return inLine;
  const inner = ' '.repeat(indent + 2);
  const parts = Array.isArray(value)
    ? value.map((part) => literal(part, indent + 2))
    : defined(value).map(([name, part]) => `${nameOf(name)}: ${literal(part, indent + 2)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${' '.repeat(indent)}${close}`;
}

function lineOf(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return String(JSON.stringify(value));
  if (Array.isArray(value)) return `[${value.map(lineOf).join(', ')}]`;
  const parts = defined(value).map(([name, part]) => `${nameOf(name)}: ${lineOf(part)}`);
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

function defined(value: object): [string, unknown][] {
  return entriesOf(value).filter(([, part]) => part !== undefined);
}

function nameOf(name: string): string {
  // This name in quotation marks, or without, would set the prototype.
  if (name === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

/** In the quotation marks that need fewer escapes. */
function quoted(text: string): string {
  const json = JSON.stringify(text);
  if (text.split("'").length > text.split('"').length) return json;
  return `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
