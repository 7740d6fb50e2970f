import type { NextFunction, Request, RequestHandler, Response } from 'express';

/** Several steps as one, each called by the `next` of the one before. Express itself looks at the path before each. */
export function inTurn(...steps: readonly RequestHandler[]): RequestHandler {
  return (request, response, done) => take(0, request, response, done);

  function take(index: number, request: Request, response: Response, done: NextFunction): void {
    const step = steps[index];
    if (step === undefined) {
      done();
      return;
    }
    try {
      const outcome: unknown = step(request, response, (error?: unknown) => {
        if (error === undefined) take(index + 1, request, response, done);
        else done(error);
      });
      if (outcome instanceof Promise) outcome.catch(done);
    } catch (error) {
      done(error);
    }
  }
}
