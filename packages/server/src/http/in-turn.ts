import type { RequestHandler } from 'express';

/** Several steps as one, each called by the `next` of the one before. Express itself looks at the path before each. */
export function inTurn(...steps: readonly RequestHandler[]): RequestHandler {
  return (request, response, done) => {
    let taken = 0;

    function next(error?: unknown): void {
      const step = error === undefined ? steps[taken] : undefined;
      taken += 1;
      if (step === undefined) {
        done(error);
        return;
      }
      try {
        const outcome: unknown = step(request, response, next);
        if (outcome instanceof Promise) outcome.catch(done);
      } catch (thrown) {
        done(thrown);
      }
    }

    next();
  };
}
