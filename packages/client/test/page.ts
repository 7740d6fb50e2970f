import { Window } from 'happy-dom';
import { act, type ReactNode } from 'react';

/** A page with something of React on it. */
export type Page = {
  /** What stands on it. */
  container: HTMLElement;
  /** Resolves once that has become true. */
  until: (isSo: () => boolean, state: () => unknown) => Promise<void>;
  unmount: () => Promise<void>;
};

/** Shows something on a page of its own; nothing else of the platform is replaced, so requests are those of Node. */
export async function show(content: ReactNode): Promise<Page> {
  // With an address: libraries that find a window resolve against it.
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
    async until(isSo, state) {
      const deadline = performance.now() + 10_000;
      while (!isSo()) {
        if (performance.now() > deadline) throw new Error(`Not so within 10 s: ${JSON.stringify(state())}`);
        await act(async () => new Promise((resolve) => setTimeout(resolve, 5)));
      }
    },
    async unmount() {
      await act(async () => root.unmount());
      await window.happyDOM.close();
    },
  };
}
