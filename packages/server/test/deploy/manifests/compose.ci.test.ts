import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readConfig } from '../../../../service/src/config/config.ts';
import { root } from '../../../../tooling/src/project.ts';
import { settingNames } from '../../setting-names.ts';
import { imageSettings as image } from '../image/image.ts';

const { services, networks } = parse(readFileSync(join(root, 'compose.yaml'), 'utf8'), { merge: true });
const { balancer, postgres, valkey } = services;
const servers = [services['server-1'], services['server-2']];
const template = readFileSync(join(root, 'deploy/nginx/nginx.conf.template'), 'utf8');

/** Substitutes the variables of `.env` as Compose does. */
function filled(environment: Record<string, string>): Record<string, string> {
  const values: Record<string, string> = { POSTGRES_PASSWORD: 'secret', PUBLIC_URL: '' };
  const fill = (text: string) => text.replaceAll(/\$\{(\w+)[^}]*\}/g, (_, name: string) => values[name] ?? '');
  return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, fill(text)]));
}

describe('compose.yaml', () => {
  test.each(servers)('sets only variables that a server reads, with valid values', ({ environment }) => {
    expect(Object.keys(environment).filter((name) => !settingNames.has(name))).toEqual([]);
    const config = readConfig({ ...image.environment, ...filled(environment) });
    expect(config.databaseUrl).toBe(
      `postgres://${postgres.environment.POSTGRES_USER}:secret@postgres:5432/${postgres.environment.POSTGRES_DB}`,
    );
    expect(config.redisUrl).toBe('redis://valkey:6379');
    expect(config.trustProxy).toBe(1);
  });

  test.each(servers)('a server has time to drain before it is killed', ({ environment, stop_grace_period: grace }) => {
    const { drainDelay, drainDeadline } = readConfig(filled(environment));
    expect(Number(/^(\d+)s$/.exec(grace)?.[1])).toBeGreaterThanOrEqual((drainDelay + drainDeadline) / 1_000 + 5);
  });

  test.each([...servers, balancer])(
    'a service that is reachable from outside has no capabilities, and writes to memory only',
    (service) => {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
      expect(service.tmpfs).toContain('/tmp');
    },
  );

  test('the balancer has the variables of its configuration, and finds the servers', () => {
    const asked = new Set([...template.matchAll(/\$\{([A-Z_0-9]+)\}/g)].map(([, name]) => name));
    const { NGINX_ENVSUBST_OUTPUT_DIR, ...given } = balancer.environment;
    expect(new Set(Object.keys(given))).toEqual(asked);
    const { port } = readConfig({ ...image.environment, ...filled(servers[0].environment) });
    const addresses = servers.map(({ networks: of }) => `${of.balanced.ipv4_address}:${port}`);
    expect([given.SERVER_1, given.SERVER_2]).toEqual(addresses);
    const [{ subnet }] = networks.balanced.ipam.config;
    for (const address of addresses) expect(address.startsWith(subnet.replace(/\.0\/24$/, '.'))).toBe(true);
    expect(balancer.command).toContain(join(NGINX_ENVSUBST_OUTPUT_DIR, 'nginx.conf'));
    const [mounted = ''] = balancer.volumes[0].split(':');
    expect(existsSync(join(root, mounted, 'nginx.conf.template'))).toBe(true);
  });

  test('only the balancer publishes a port, and the engines have no way out', () => {
    const published = Object.entries(services).filter(([, service]) => Object(service).ports !== undefined);
    expect(published.map(([name]) => name)).toEqual(['balancer']);
    expect(balancer.ports).toEqual([expect.stringMatching(new RegExp(`:${balancer.environment.LISTEN}$`))]);
    expect(networks.engines.internal).toBe(true);
    for (const engine of [postgres, valkey]) expect(engine.networks).toEqual(['engines']);
  });

  test('images have a version and no registry', () => {
    const images = [balancer, postgres, valkey].map(({ image: name }) => name);
    for (const name of images) expect(name).toMatch(/^([a-z]+\/)?[a-z]+:\d+(\.\d+)*-alpine$/);
    expect(servers.map(({ build }) => build)).toEqual(['.', '.']);
  });

  test('Valkey has the settings of docs/operate/redis.md', () => {
    const operate = readFileSync(join(root, 'docs/operate/redis.md'), 'utf8');
    expect(operate).toContain('maxmemory-policy allkeys-lru');
    expect(valkey.command.join(' ')).toContain('--maxmemory-policy allkeys-lru');
  });
});
