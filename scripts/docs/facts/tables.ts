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

/** A section for each error code, its anchor the code itself. */
export function errorSections({ components: { schemas } }: DocumentedContract): string {
  return Object.entries(schemas.ErrorCode['x-codes'])
    .map(
      ([code, { status, cause, action }]) => `### \`${code}\`\n\n**${status}** ${cause}\n\n**What to do:** ${action}`,
    )
    .join('\n\n');
}
