import { dig } from '../../lint/redocly.ts';
import type { DocumentedContract, Quota } from './contract.ts';
import { number, table } from './words.ts';

/** The quotas by plan, and those of callers without a valid key. */
export function plansTable({
  'x-rate-limits': { plans, anonymous },
}: Pick<DocumentedContract, 'x-rate-limits'>): string {
  const rows = Object.values(plans).map((plan) =>
    'custom' in plan ? [plan.title, 'by agreement', 'by agreement'] : [plan.title, ...quota(plan)],
  );
  const nobody = ['Without a valid key, per client address', ...quota(anonymous)];
  return table(['Plan', 'Requests per minute', 'Requests per UTC day'], [...rows, nobody]);
}

function quota({ perMinute, perDay }: Quota): string[] {
  return [number(perMinute), number(perDay)];
}

/** The headers that tell of the limits, in the contract's words. */
export function headerTable({ components: { headers } }: DocumentedContract): string {
  const names = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'];
  const rows = names.map((name) => {
    const header = headers[name];
    if (header === undefined) throw new Error(`The contract has no header ${name}.`);
    return [`\`${name}\``, header.description.trim(), `\`${String(header.example)}\``];
  });
  return table(['Header', 'Meaning', 'Example'], rows);
}

/** What the scopes of a key allow. */
export function scopesTable({ components: { securitySchemes } }: DocumentedContract): string {
  const scopes = Object.values(securitySchemes).flatMap((scheme) => Object.entries(scheme['x-scopes'] ?? {}));
  return table(
    ['Scope', 'What it allows'],
    scopes.map(([name, allowed]) => [`\`${name}\``, allowed]),
  );
}

/** Where the docs explain an error code. The `documentation` of an `Error` leads there. */
export function errorAddress(code: string): string {
  return `errors.html#${code}`;
}

/** A section with the fields of each resource. Bodies of requests are left out: their operations describe them. */
export function modelSections({ components: { schemas } }: DocumentedContract): string {
  const resources = Object.entries(schemas).filter(
    ([name, { properties }]) => properties !== undefined && !/^New|Patch$/.test(name),
  );
  return resources
    .map(([name, schema]) => {
      const required: unknown = dig(schema, 'required');
      const rows = Object.entries(schema.properties ?? {}).map(([field, property]) => {
        const isRequired = Array.isArray(required) && required.includes(field);
        return [
          `\`${field}\``,
          typeInWords(schemas, property),
          isRequired ? 'always' : 'optional',
          describe(schemas, property),
        ];
      });
      return `## ${name}\n\n${oneLine(schema.description)}\n\n${table(['Field', 'Type', 'Present', 'Meaning'], rows)}`;
    })
    .join('\n\n');
}

type Schemas = DocumentedContract['components']['schemas'];

function schemaOf(schemas: Schemas, part: object): { name: string; schema: object } {
  const reference = dig(part, '$ref');
  const name = typeof reference === 'string' ? (reference.split('/').at(-1) ?? '') : '';
  return { name, schema: schemas[name] ?? part };
}

function typeInWords(schemas: Schemas, part: object): string {
  const { name, schema } = schemaOf(schemas, part);
  const [type, format, values, items] = ['type', 'format', 'enum', 'items'].map((key) => dig(schema, key));
  if (type === 'array' && typeof items === 'object' && items !== null) return `list of ${typeInWords(schemas, items)}`;
  if (type === 'object') return `[${name}](#${name.toLowerCase()})`;
  // The error codes have a page of their own.
  if (Array.isArray(values)) return values.length > 9 ? 'string' : values.map((value) => `\`${value}\``).join(', ');
  return format === 'date-time' ? 'time' : String(type);
}

function describe(schemas: Schemas, part: object): string {
  return oneLine(String(dig(part, 'description') ?? dig(schemaOf(schemas, part).schema, 'description') ?? ''));
}

function oneLine(text = ''): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
