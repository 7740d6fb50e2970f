import { expect, test } from '@jest/globals';
import { NetworkError } from '../errors.ts';
import { createCallLog } from './calls.ts';

function setUp() {
  const clock = { now: 1_000 };
  const { onEvent, state } = createCallLog(() => clock.now);
  const start = (call: number) => onEvent({ type: 'start', call, operation: 'GET /notes/{noteId}' });
  const request = (call: number, attempt = 1) => onEvent({ type: 'request', ...about(call, attempt) });
  const end = (call: number, result: { status?: number; code?: string | undefined; error?: unknown }) => {
    const facts = { operation: 'GET /notes/{noteId}', duration: 5, attempts: 1, sent: true, idempotencyKey: undefined };
    onEvent({ type: 'end', call, ...facts, ...result });
  };
  const words = () =>
    [...state().running, ...state().ended].map((call) => {
      if (call.state === 'waits') return `${call.number} waits: ${call.reason}, until ${call.until}`;
      return `${call.number} ${call.state === 'ended' ? call.result : 'is sent'}`;
    });
  return { clock, onEvent, state, start, request, end, words };
}

const about = (call: number, attempt: number) => {
  const url = 'https://notes.example/v1/notes/7?search=secret';
  return { call, attempt, method: 'GET', url, idempotencyKey: undefined };
};

test('a call waits for its turn, then for its response, and ends', () => {
  const { start, request, end, words } = setUp();
  start(1);
  expect(words()).toEqual(['1 waits: its turn, until undefined']);
  request(1);
  start(2);
  expect(words()).toEqual(['1 is sent', '2 waits: its turn: 1 in flight, until undefined']);
  end(1, { status: 200, code: undefined });
  request(2);
  end(2, { status: 404, code: 'note_not_found' });
  expect(words()).toEqual(['2 404 note_not_found', '1 200']);
});

test('a call waits for a retry, and then for the end of a refusal', () => {
  const { clock, onEvent, start, request, words, state } = setUp();
  start(1);
  request(1);
  onEvent({ type: 'retry', delay: 250, cause: 503, ...about(1, 1) });
  onEvent({ type: 'gate', state: 'shut', retryAfter: 20_000, code: 'rate_limited' });
  start(2);
  expect(words()).toEqual(['1 waits: retry after 503, until 1250', '2 waits: rate_limited, until 21000']);
  clock.now = 1_300;
  expect(words()).toEqual(['1 waits: rate_limited, until 21000', '2 waits: rate_limited, until 21000']);
  expect(state().shut).toEqual({ code: 'rate_limited', until: 21_000 });
  onEvent({ type: 'gate', state: 'open' });
  request(1, 2);
  expect(words()).toEqual(['1 is sent', '2 waits: its turn: 1 in flight, until undefined']);
  expect(state().shut).toBeUndefined();
});

test('neither the URL nor the message of an error is kept', () => {
  const { onEvent, start, request, end, state, words } = setUp();
  start(1);
  request(1);
  const error = new NetworkError('No response to GET https://notes.example/v1/notes/7?search=secret');
  onEvent({ type: 'retry', delay: 250, cause: error, ...about(1, 1) });
  expect(words()).toEqual(['1 waits: retry after NetworkError, until 1250']);
  end(1, { error });
  start(2);
  end(2, { error: 'search=secret' });
  expect(words()).toEqual(['2 an error', '1 NetworkError']);
  expect(JSON.stringify(state())).not.toContain('secret');
});

test('only the latest calls that have ended are kept', () => {
  const { start, end, state } = setUp();
  for (let call = 1; call <= 50; call += 1) {
    start(call);
    end(call, { status: 200 });
  }
  expect(state().ended.map(({ number }) => number)).toEqual([50, 49, 48, 47, 46, 45, 44, 43, 42, 41]);
  expect(state().running).toEqual([]);
});
