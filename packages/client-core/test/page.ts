import { Window } from 'happy-dom';
import { act, type ReactNode } from 'react';

/** A page with a React element. */
export type Page = {
  /** The text of the page. */
  container: HTMLElement;
  /** Resolves once the condition is true. */
  until: (condition: () => boolean, state: () => unknown) => Promise<void>;
  unmount: () => Promise<void>;
};

/** Renders an element on a new page. Replaces nothing else of the platform, so requests use Node's `fetch`. */
export async function show(content: ReactNode): Promise<Page> {
  // With a URL, because libraries that find a window resolve relative URLs against it.
  const window = new Window({ url: 'http://127.0.0.1/' });
  const { document, sessionStorage } = window;
  Object.assign(globalThis, { window, document, sessionStorage, IS_REACT_ACT_ENVIRONMENT: true });
  const { createRoot } = await import('react-dom/client');
  const container = globalThis.document.createElement('div');
  globalThis.document.body.append(container);
  const root = createRoot(container);
  await act(async () => root.render(content));
  return {
    container,
    async until(condition, state) {
      const deadline = performance.now() + 60_000;
      while (!condition()) {
        if (performance.now() > deadline) throw new Error(`Not so within 60 s: ${JSON.stringify(state())}`);
        await act(async () => new Promise((resolve) => setTimeout(resolve, 5)));
      }
    },
    async unmount() {
      await act(async () => root.unmount());
      await window.happyDOM.close();
    },
  };
}
