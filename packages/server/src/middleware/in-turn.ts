import type { RequestHandler } from 'express';

/**
 * Several steps as one, each called by the `next` of the one before. Express itself looks at the path before each. A step
 * that throws or rejects has failed, whatever it throws; one that hands on null, as a router does, has not.
 */
export function inTurn(...steps: readonly RequestHandler[]): RequestHandler {
  return (request, response, done) => {
    let taken = 0;

    function next(error?: unknown): void {
      const step = error === undefined || error === null ? steps[taken] : undefined;
      taken += 1;
      if (step === undefined) {
        done(error ?? undefined);
        return;
      }
      try {
        const outcome: unknown = step(request, response, next);
        if (outcome instanceof Promise) outcome.catch((reason: unknown) => done(reason ?? unnamed()));
      } catch (thrown) {
        done(thrown ?? unnamed());
      }
    }

    next();
  };
}

/** Express takes no error for none. */
function unnamed(): Error {
  return new Error('A step failed without saying why.');
}
