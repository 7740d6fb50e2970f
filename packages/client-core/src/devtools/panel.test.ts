/** The panel on the pages that tests imitate: without constructable style sheets, ResizeObserver and frames. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Window } from 'happy-dom';
import { createDevtools } from './index.ts';

let window: Window;
beforeEach(() => {
  window = new Window();
  // As in jsdom 26, whose style sheets lack `replaceSync`.
  Object.assign(globalThis, { document: window.document, CSSStyleSheet: class {} });
});
afterEach(async () => {
  await window.happyDOM.close();
  Reflect.deleteProperty(globalThis, 'document');
  Reflect.deleteProperty(globalThis, 'CSSStyleSheet');
});

function setUp() {
  const { onEvent, panel, state } = createDevtools();
  const element = panel({ rateLimit: undefined, resume: () => {} });
  document.body.append(element);
  const start = (call: number) => onEvent({ type: 'start', call, operation: 'GET /notes' });
  const end = (call: number) => {
    const facts = { operation: 'GET /notes', duration: 5, attempts: 1, sent: true, idempotencyKey: undefined };
    onEvent({ type: 'end', call, ...facts, status: 200, code: undefined });
  };
  const heading = () => element.shadowRoot?.querySelector('h2')?.textContent;
  const rows = () => [...(element.shadowRoot?.querySelectorAll('tbody tr') ?? [])].map((row) => row.textContent);
  return { element, start, end, heading, rows, state };
}

test('the panel has its styles, and follows the calls while it is on the page', () => {
  const { element, start, end, heading, rows } = setUp();
  expect(element.shadowRoot?.querySelector('style')?.textContent).toContain(':host { all: initial');
  start(1);
  expect(heading()).toBe('API calls: 1 waiting, 0 in flight');
  end(1);
  expect(rows()).toEqual(['1 GET /notesended, 1 sent200']);
  element.remove();
  start(2);
  expect(heading()).toBe('API calls: 0 waiting, 0 in flight');
  document.body.append(element);
  start(3);
  expect(heading()).toBe('API calls: 2 waiting, 0 in flight');
});
