import { banRules } from '@animal-store/contract';
import type { Call, Result } from './operation.ts';

export async function getKey({ caller, quota, clock }: Call<'getKey'>): Promise<Result<'getKey'>> {
  const { id, name, plan, scope, expiresAt } = caller;
  const { minute, day, bannedUntil } = quota;
  const isBanForgotten = clock() - bannedUntil >= banRules.forgetAfterSeconds * 1_000;
  return {
    status: 200,
    body: {
      id,
      ...(name === undefined ? {} : { name }),
      plan,
      scope,
      minute,
      day,
      ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
      ...(isBanForgotten ? {} : { bannedUntil: new Date(bannedUntil).toISOString() }),
    },
  };
}
