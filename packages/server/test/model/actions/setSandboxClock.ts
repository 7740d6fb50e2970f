import { refusal } from '../store/expected.ts';
import { defineAction } from './action.ts';

/** The servers of the model have no sandboxes. */
export const action = defineAction('setSandboxClock', {
  weight: 1,
  parts: {},
  plan: () => ({ call: { body: { advanceSeconds: 86_400 } }, answer: () => refusal('sandbox_not_found') }),
});
