import { isRecord } from '../../fuzz/schemas/schema.ts';
import { PLAN, UNREACHABLE } from '../run/subject.ts';
import { defineAction } from './action.ts';

/** The remaining requests are left out, because other tests cover them. */
export const action = defineAction('getKey', {
  weight: 1,
  parts: {},
  plan: () => ({
    call: {},
    answer: ({ keyIds }, { by }) => ({
      status: 200,
      body: { id: keyIds[by], plan: PLAN, scope: 'write', limits: [UNREACHABLE, UNREACHABLE] },
      shown: (body) => {
        if (!isRecord(body)) return body;
        const { minute, day, ...others } = body;
        return { ...others, limits: [minute, day].map((window) => isRecord(window) && window['limit']) };
      },
    }),
  }),
});
