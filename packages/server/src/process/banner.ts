import { basePath, contractVersion } from '@animal-store/contract';
import type { Config } from '../config/config.ts';

export type BannerParts = {
  config: Config;
  port: number;
  metricsPort: number | undefined;
  /** The key for trying the API on this machine, and the file that it is stored in; absent in production. */
  developmentKey: { secret: string; file: string | undefined } | undefined;
  /** The commands of a first call, which work as pasted. */
  firstCalls: (apiUrl: string, secret: string) => string[];
};

/** What `npm start` prints: every URL of the server, and the commands of a first call. */
export function banner({ config, port, metricsPort, developmentKey, firstCalls }: BannerParts): string {
  const origin = originOf(config.host, port);
  const apiUrl = `${origin}${basePath}`;
  const lines = [
    `Animal Store ${contractVersion}`,
    `  API       ${apiUrl}`,
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
  const stored = file === undefined ? 'lost when this process ends' : `stored in ${file}`;
  lines.push(`  API key   ${secret}   (free plan, ${stored})`, '', 'Try it:');
  lines.push(...firstCalls(apiUrl, secret).map((command) => `  ${command}`), '');
  return lines.join('\n');
}

/** The origin that works on this machine. */
function originOf(host: string, port: number): string {
  const reachable = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** A password can be before the host, and in the query. */
function withoutPassword(url: string): string {
  if (url.startsWith('sqlite:')) return url;
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/[^:@/]*):.*@/i, '$1:…@').replace(/\?.*/, '');
}
