import { isRecord } from '../../fuzz/schemas/schema.ts';
import { PLAN } from '../run/subject.ts';
import { defineAction } from './action.ts';

/** The remaining requests are left out, because other tests cover them. */
export const action = defineAction('getKey', {
  weight: 1,
  parts: {},
  plan: () => ({
    call: {},
    answer: ({ keys }, { by }) => ({
      status: 200,
      body: { id: keys[by].id, plan: PLAN, scope: 'write', limits: keys[by].limits },
      shown: (body) => {
        if (!isRecord(body)) return body;
        const { minute, day, ...others } = body;
        return { ...others, limits: [minute, day].map((window) => isRecord(window) && window['limit']) };
      },
    }),
  }),
});
