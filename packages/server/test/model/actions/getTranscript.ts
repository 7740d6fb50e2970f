import { refusal } from '../store/expected.ts';
import { defineAction } from './action.ts';

/** The servers of the model have no sandboxes. */
export const action = defineAction('getTranscript', {
  weight: 1,
  parts: {},
  plan: () => ({ call: {}, answer: () => refusal('sandbox_not_found') }),
});
