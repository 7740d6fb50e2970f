import { isRecord } from '../../fuzz/schemas/schema.ts';
import { PLAN } from '../run/subject.ts';
import { defineAction } from './action.ts';

/** The remaining requests and bans are left out, because other tests cover them. */
export const action = defineAction('getKey', {
  weight: 1,
  parts: {},
  plan: () => ({
    call: {},
    answer: ({ keys }, { by }) => {
      const { secret: _, ...key } = keys[by];
      return {
        status: 200,
        body: { ...key, plan: PLAN, scope: 'write' },
        shown: (body) => {
          if (!isRecord(body)) return body;
          const { minute, day, bannedUntil: _, ...others } = body;
          return { ...others, limits: [minute, day].map((window) => isRecord(window) && window['limit']) };
        },
      };
    },
  }),
});
