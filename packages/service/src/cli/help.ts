import { type Contract, firstPlan, hasPlans } from '../common/facts.ts';
import { allScopes } from '../keys/new-key.ts';
import { defaultDatabaseUrl } from '../storage/open.ts';

export const RUN = 'npm run --silent keys --';

const durations = 'such as 30d, 24h, 15m or 90s';

export function helpText(contract: Contract, service: string): string {
  const { contractTitle, keyPrefix, plans, scopes, banRules } = contract;
  const planOptions = `
  --plan PLAN       ${planList(plans)}
  --per-minute N    Requests per minute, for a plan with own limits. Requires --per-day.
  --per-day N       Requests per UTC day, for a plan with own limits. Requires --per-minute.`;
  const unban = '\n  unban ID     Lift the ban of a key. The next ban is as short as the first.';
  return `Manages the API keys of the ${contractTitle}.

Usage: ${RUN} COMMAND [options]

  create       Create a key and print it. It is shown only once, because only its hash is stored.
  list         List all keys, newest last.
  show ID      Print all details of a key as JSON.
  rotate ID    Replace the secret of a key and print the new one. Everything else stays the same.
  set ID       Change a key. Everything that no option names stays the same.${banRules === null ? '' : unban}
  revoke ID    End a key permanently.

Options of create and set:${hasPlans(contract) ? planOptions : ''}
  --scope SCOPES    ${Object.keys(scopes).join(', ') || 'none'}, with commas between them. Default: ${allScopes(contract)}.
  --name NAME       A label of 1 to 100 characters.
Options of create:
  --expires-in TIME Lifetime of the key, ${durations}. Default: unlimited.
Options of rotate:
  --overlap TIME    How long the old secret keeps working, ${durations}, or 0s. Default: 24h.
Options of all commands but revoke:
  --json            Print JSON on stdout.

Example: KEY=$(${createExample(contract)})

Results are printed on stdout, and remarks on stderr. Running servers apply a change within 5 seconds.
Set DATABASE_URL to the database of the servers. Default: ${defaultDatabaseUrl(service)}, relative to this
folder. No command creates a database. Its servers decide whether new keys are live keys (${keyPrefix}_live_…) or test
keys (${keyPrefix}_test_…); before the first start of a server, API_MODE decides.
Exit status: 0 success, 1 database unavailable, 2 invalid arguments.
`;
}

export function createExample({ plans }: Pick<Contract, 'plans'>): string {
  const plan = firstPlan(plans);
  return `${RUN} create${plan === undefined ? '' : ` --plan ${plan}`}`;
}

function planList(plans: Contract['plans']): string {
  const list = Object.entries(plans).map(([name, plan]) =>
    'custom' in plan ? `${name} (own limits)` : `${name} (${plan.perMinute}/min)`,
  );
  return `${list.join(', ')}.`;
}
