import type { ErrorCodeRow } from '../generate/document.ts';

/** What the documentation reads from the contract. `npm run lint` holds the contract to this shape. */
export type ReadableContract = {
  info: { title: string; summary: string; description: string };
  paths: Record<string, Record<string, { 'x-stability'?: string }>>;
  components: { schemas: { ErrorCode: { 'x-codes': Record<string, ErrorCodeRow> } } };
  'x-rate-limits': {
    plans: Record<string, Plan>;
    anonymous: Quota;
    ban: {
      graceSeconds: number;
      toleratedRefusals: number;
      firstSeconds: number;
      factor: number;
      maximumSeconds: number;
    };
  };
};

type Quota = { perMinute: number; perDay: number };
type Plan = { title: string } & (Quota | { custom: true });

/**
 * The contract with its tables in words: Redoc shows no x-rate-limits and no x-codes, so the plans and the error codes
 * are written into the description; and no x-stability, which becomes a badge.
 */
export function forReaders<Contract extends ReadableContract>(contract: Contract): Contract {
  const { info, components } = contract;
  const sections = [info.description.trimEnd(), plansSection(contract['x-rate-limits']), errorsSection(components)];
  return {
    ...contract,
    info: { ...info, description: `${sections.join('\n\n')}\n` },
    paths: withBadges(contract.paths),
  };
}

/** Redoc knows badges, not x-stability. */
function withBadges(paths: ReadableContract['paths']): ReadableContract['paths'] {
  const badge = { 'x-badges': [{ name: 'Beta', position: 'after' }] };
  return mapValues(paths, (item) =>
    mapValues(item, (operation) => (operation['x-stability'] === 'beta' ? { ...operation, ...badge } : operation)),
  );
}

function mapValues<Value>(record: Record<string, Value>, change: (value: Value) => Value): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

function plansSection({ plans, anonymous, ban }: ReadableContract['x-rate-limits']): string {
  const rows = Object.values(plans).map((plan) =>
    'custom' in plan ? [plan.title, 'by agreement', 'by agreement'] : [plan.title, ...quota(plan)],
  );
  return `## Plans

${table(['Plan', 'Requests per minute', 'Requests per UTC day'], [...rows, ['Without a valid key, per client address', ...quota(anonymous)]])}

A key is banned when it is refused more than ${ban.toleratedRefusals} times in one window, not counting the first
${ban.graceSeconds} seconds after the window's first \`429\`. The first ban lasts ${ban.firstSeconds} seconds, each further
one ${ban.factor} times as long as the one before, up to ${number(ban.maximumSeconds)} seconds.`;
}

function errorsSection({ schemas }: ReadableContract['components']): string {
  // A list, as a table would break the codes into syllables on a narrow screen.
  const entries = Object.entries(schemas.ErrorCode['x-codes']).map(
    ([code, { status, cause, action }]) => `- \`${code}\` (${status}): ${cause} ${action}`,
  );
  return `## Error codes\n\n${entries.join('\n')}`;
}

function quota({ perMinute, perDay }: Quota): string[] {
  return [number(perMinute), number(perDay)];
}

function table(head: readonly string[], rows: readonly string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function number(value: number): string {
  return value.toLocaleString('en');
}
