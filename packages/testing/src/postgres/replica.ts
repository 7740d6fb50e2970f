import type { TestPostgres } from './server.ts';

/** Makes each commit wait for the synchronous replica of that name; '' for none. Resolves when new connections know it. */
export async function setReplica({ query }: Pick<TestPostgres, 'query'>, name: string): Promise<void> {
  await query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await query('SELECT pg_reload_conf()');
  while ((await query('SHOW synchronous_standby_names'))[0]?.[0] !== name);
}
