import type { TestPostgres } from './server.ts';

/** Makes each commit wait for the synchronous replica of that name; '' for none. The server reads it within a moment. */
export async function setReplica({ query }: Pick<TestPostgres, 'query'>, name: string): Promise<void> {
  await query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await query('SELECT pg_reload_conf()');
}
