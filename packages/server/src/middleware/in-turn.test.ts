import { expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { listening } from '../http/listening-fixture.ts';
import { createServer } from '../http/server.ts';
import { inTurn } from './in-turn.ts';

let steps: RequestHandler[] = [];
const app = express();
app.use((request, response, next) => inTurn(...steps)(request, response, next));
app.use((_request, response) => void response.end('all done'));
const refuse: ErrorRequestHandler = (error, _request, response, _next) =>
  void response.end(`failed: ${error?.message}`);
app.use(refuse);

const server = createServer(app);
const port = listening(server);

/** What a request is answered that takes these steps. */
async function answerOf(...given: RequestHandler[]): Promise<string> {
  steps = given;
  return (await fetch(`http://127.0.0.1:${port()}`)).text();
}

const pass: RequestHandler = (_request, _response, next) => next();
const later: RequestHandler = async (_request, _response, next) => {
  await Promise.resolve();
  next();
};
const never: RequestHandler = (_request, response) => void response.end('taken all the same');

test('steps are taken one after the other, also when they wait, and then what comes behind them', async () => {
  const taken: number[] = [];
  const note =
    (number: number): RequestHandler =>
    (_request, _response, next) => {
      taken.push(number);
      next();
    };
  expect(await answerOf(note(1), later, note(2), pass, note(3))).toBe('all done');
  expect(taken).toEqual([1, 2, 3]);
  expect(await answerOf()).toBe('all done');
});

test('the step that answers is the last', async () => {
  expect(await answerOf(pass, (_request, response) => void response.end('answered'), never)).toBe('answered');
});

test.each<[string, RequestHandler]>([
  ['hands on', (_request, _response, next) => next(new Error('oops'))],
  [
    'throws',
    () => {
      throw new Error('oops');
    },
  ],
  ['rejects with', () => Promise.reject(new Error('oops'))],
])('an error that a step %s ends them', async (_, step) => {
  expect(await answerOf(pass, step, never)).toBe('failed: oops');
  expect(await answerOf(later, step, never)).toBe('failed: oops');
});

test('a step that rejects with nothing has failed nevertheless', async () => {
  expect(await answerOf(() => Promise.reject(), never)).toMatch(/^failed: .+/);
  expect(await answerOf(pass, async () => Promise.reject(null))).toMatch(/^failed: .+/);
});

test('a step that throws nothing has failed nevertheless', async () => {
  const step: RequestHandler = () => {
    throw undefined;
  };
  expect(await answerOf(step, never)).toMatch(/^failed: .+/);
});

test('a step that hands on null, as a router does, hands on no error', async () => {
  const step: RequestHandler = (_request, _response, next) => next(null);
  expect(await answerOf(step, pass)).toBe('all done');
  expect(await answerOf(step, (_request, response) => void response.end('answered'))).toBe('answered');
});
