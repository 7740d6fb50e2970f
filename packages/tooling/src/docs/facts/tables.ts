import { dig } from '../../common/json.ts';
import { type ContractDocument, type Quota, rateLimitsOf } from '../../contract/document.ts';
import { hasProblems } from '../../contract/error-form.ts';
import { shownServerOf } from '../samples/request.ts';
import { flatSchema, list, oneOfValues, record, schemaName, typeInWords } from './schema-words.ts';
import { number, oneLine, table } from './words.ts';

/** The quotas by plan, and those of callers without a valid key. */
export function plansTable(contract: Pick<ContractDocument, 'x-rate-limits'>): string {
  const { plans, anonymous } = rateLimitsOf(contract);
  const rows = Object.values(plans).map((plan) =>
    'custom' in plan ? [plan.title, 'custom', 'custom'] : [plan.title, ...quota(plan)],
  );
  const withoutKey = anonymous === undefined ? [] : [['Without a valid key, per IP address', ...quota(anonymous)]];
  return table(['Plan', 'Requests per minute', 'Requests per UTC day'], [...rows, ...withoutKey]);
}

function quota({ perMinute, perDay }: Quota): string[] {
  return [number(perMinute), number(perDay)];
}

/** The rate-limit headers, with the contract's descriptions. */
export function headerTable({ components: { headers } }: ContractDocument): string {
  const names = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'];
  const rows = names.map((name) => {
    const header = headers[name];
    if (header === undefined) throw new Error(`The contract has no header ${name}.`);
    return [`\`${name}\``, (header.description ?? '').trim(), `\`${String(header.example)}\``];
  });
  return table(['Header', 'Meaning', 'Example'], rows);
}

/** The scopes of a key, with what each allows. */
export function scopesTable({ components: { securitySchemes } }: ContractDocument): string {
  const scopes = Object.values(securitySchemes ?? {}).flatMap((scheme) => Object.entries(scheme['x-scopes'] ?? {}));
  return table(
    ['Scope', 'What it allows'],
    scopes.map(([name, allowed]) => [`\`${name}\``, allowed]),
  );
}

/** The page that explains an error code, to which `documentation` of an `Error` links. */
export function errorAddress(code: string): string {
  return `errors.html#${code}`;
}

/** The body of an error as servers send it, with the URL of its documentation, which depends on the host. */
export function errorExample(contract: ContractDocument, value: unknown): unknown {
  const { Error: error, ErrorCode } = contract.components.schemas;
  const code = String(dig(value, 'code'));
  const member = hasProblems(contract) ? 'type' : 'documentation';
  if (!(code in ErrorCode['x-codes']) || error?.properties?.[member] === undefined) return value;
  return { ...record(value), [member]: new URL(`/docs/${errorAddress(code)}`, shownServerOf(contract)).href };
}

/** A section with the fields of each resource. Bodies of requests are left out: their operations describe them. */
export function modelSections(contract: ContractDocument): string {
  const { schemas } = contract.components;
  const resources = Object.entries(schemas).filter(
    ([name, { properties }]) => properties !== undefined && !/^New|Patch$/.test(name),
  );
  return resources
    .map(([name, schema]) => {
      const required = list(dig(schema, 'required'));
      const rows = Object.entries(schema.properties ?? {}).map(([field, property]) => {
        const meaning = [
          String(flatSchema(contract, property)['description'] ?? ''),
          ...oneOfValues(contract, property),
        ];
        return [
          `\`${field}\``,
          linkedType(contract, property),
          required.includes(field) ? 'always' : 'optional',
          oneLine(meaning.join(' ')),
        ];
      });
      return `## ${name}\n\n${oneLine(schema.description ?? '')}\n\n${table(['Field', 'Type', 'Present', 'Meaning'], rows)}`;
    })
    .join('\n\n');
}

/** The type of a field; an object type links to its own section. */
function linkedType(contract: ContractDocument, property: unknown): string {
  const type = typeInWords(contract, property);
  const name = schemaName(property) || schemaName(dig(property, 'items'));
  return contract.components.schemas[name]?.properties === undefined ? type : `[${type}](#${name.toLowerCase()})`;
}
