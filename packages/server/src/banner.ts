import { basePath, contractVersion } from '@animal-store/contract';
import type { Config } from './config.ts';

/** What a start shows: where everything is, and a call that works as pasted. */
export function banner(
  config: Config,
  port: number,
  developmentKey: { secret: string; file: string | undefined } | undefined,
) {
  const host = ['0.0.0.0', '::'].includes(config.host) ? '127.0.0.1' : config.host;
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const lines = [
    `Animal Store ${contractVersion}`,
    `  API       ${origin}${basePath}`,
    `  docs      ${origin}/docs`,
    `  contract  ${origin}/openapi.yaml`,
    `  database  ${withoutPassword(config.databaseUrl)}`,
  ];
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

function withoutPassword(databaseUrl: string): string {
  return databaseUrl.replace(/^([a-z][a-z0-9+.-]*:\/\/[^:@/]*):.*@/i, '$1:…@');
}
