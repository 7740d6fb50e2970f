import { type Contract, firstPlan, hasQuotas } from '../common/facts.ts';
import type { Config } from '../config/config.ts';
import { usesKeys, type Verify } from '../openapi/security.ts';
import { withoutCredentials } from '../storage/postgres/settings.ts';

export type BannerParts = {
  contract: Pick<Contract, 'contractTitle' | 'version' | 'basePath' | 'plans' | 'anonymousLimits' | 'operations'>;
  verify?: Readonly<Record<string, Verify | undefined>>;
  config: Config;
  port: number;
  metricsPort: number | undefined;
  /** The key for trying the API on this machine, and the file that it is stored in; absent in production, and if no operation needs a key. */
  developmentKey: { secret: string; file: string | undefined } | undefined;
  /** Commands for a first call, ready to paste. The secret is empty if no operation needs a key. */
  firstCalls: (apiUrl: string, secret: string) => string[];
};

/** The text that `npm start` prints: the URLs of the server, and commands for a first call. */
export function banner({
  contract,
  verify,
  config,
  port,
  metricsPort,
  developmentKey,
  firstCalls,
}: BannerParts): string {
  const origin = localOrigin(config.host, port);
  const apiUrl = `${origin}${contract.basePath}`;
  const { databaseUrl } = config;
  const lines = [
    `${contract.contractTitle} ${contract.version}, ${config.mode} mode`,
    `  API       ${apiUrl}`,
    `  docs      ${origin}/docs`,
    `  contract  ${origin}/openapi.yaml`,
    `  database  ${databaseUrl.startsWith('sqlite:') ? databaseUrl : withoutCredentials(databaseUrl)}`,
  ];
  if (config.redisUrl !== undefined && hasQuotas(contract))
    lines.push(`  counters  ${withoutCredentials(config.redisUrl)}`);
  if (config.metrics !== undefined && metricsPort !== undefined) {
    lines.push(`  metrics   ${localOrigin(config.metrics.host, metricsPort)}/metrics`);
  }
  const hasKeys = usesKeys(contract, verify);
  if (hasKeys) lines.push(keyLine(developmentKey, firstPlan(contract.plans)));
  const isTrial = hasKeys ? developmentKey !== undefined : !config.production && config.mode === 'test';
  if (!isTrial) return lines.join('\n');
  lines.push('', 'Try it:');
  lines.push(...firstCalls(apiUrl, developmentKey?.secret ?? '<TOKEN>').map((command) => `  ${command}`), '');
  return lines.join('\n');
}

function keyLine(developmentKey: BannerParts['developmentKey'], plan: string | undefined): string {
  if (developmentKey === undefined) {
    return `  API keys  npm run --silent keys -- create${plan === undefined ? '' : ` --plan ${plan}`}`;
  }
  const { secret, file } = developmentKey;
  const stored = file === undefined ? 'lost when this process exits' : `stored in ${file}`;
  return `  API key   ${secret}   (${plan === undefined ? '' : `${plan} plan, `}${stored})`;
}

/** An origin at which this machine reaches the server. */
export function localOrigin(host: string, port: number): string {
  const reachable = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
