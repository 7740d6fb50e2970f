/** Makes every HTTP server of this process answer in cohorts, as ours does: for the peers beside this file. */
import { Server } from 'node:http';
import { batchPerTick } from '../../../../packages/server/src/http/batch-per-tick.ts';

const { emit } = Server.prototype;
const answers = new WeakMap<Server, Answer>();

type Answer = (request: unknown, response: unknown) => void;

Object.assign(Server.prototype, {
  emit(this: Server, ...event: unknown[]): boolean {
    const [name, request, response] = event;
    if (name !== 'request') return Reflect.apply(emit, this, event);
    answerOf(this)(request, response);
    return true;
  },
});

function answerOf(server: Server): Answer {
  const known = answers.get(server);
  if (known !== undefined) return known;
  const answer = batchPerTick((...request: Parameters<Answer>) => Reflect.apply(emit, server, ['request', ...request]));
  answers.set(server, answer);
  return answer;
}
