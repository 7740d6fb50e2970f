import { basePath, contractVersion } from '@animal-store/contract';
import type { Config } from '../config/config.ts';

/** What a start shows: where everything is, and a call that works as pasted. */
export function banner(
  config: Config,
  { port, metricsPort }: { port: number; metricsPort?: number | undefined },
  developmentKey: { secret: string; file: string | undefined } | undefined,
) {
  const origin = originOf(config.host, port);
  const lines = [
    `Animal Store ${contractVersion}`,
    `  API       ${origin}${basePath}`,
    `  docs      ${origin}/docs`,
    `  contract  ${origin}/openapi.yaml`,
    `  database  ${withoutPassword(config.databaseUrl)}`,
  ];
  if (config.redisUrl !== undefined) lines.push(`  counters  ${withoutPassword(config.redisUrl)}`);
  if (config.metrics !== undefined && metricsPort !== undefined) {
    lines.push(`  metrics   ${originOf(config.metrics.host, metricsPort)}/metrics`);
  }
  if (developmentKey === undefined) {
    lines.push('  API keys  npm run --silent keys -- create --plan free');
    return lines.join('\n');
  }
  const { secret, file } = developmentKey;
  lines.push(
    `  API key   ${secret}   (free plan, ${file === undefined ? 'gone with this process' : `kept in ${file}`})`,
    '',
    'Try it:',
    `  curl -H "Authorization: Bearer ${secret}" "${origin}${basePath}/pets"`,
    `  curl -H "Authorization: Bearer ${secret}" -H "Content-Type: application/json" -d '{"name":"Rex","categoryId":3,"status":"available"}' "${origin}${basePath}/pets"`,
    '',
  );
  return lines.join('\n');
}

/** Where somebody on this machine reaches what listens there. */
function originOf(host: string, port: number): string {
  const reachable = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** A password may be before the host, and in what follows the question mark. */
function withoutPassword(url: string): string {
  if (url.startsWith('sqlite:')) return url;
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/[^:@/]*):.*@/i, '$1:…@').replace(/\?.*/, '');
}
