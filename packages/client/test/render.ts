import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Window } from 'happy-dom';
import { act, createElement, type ReactNode } from 'react';

/** What a hook gave last, in a component that is on a page. */
export type Rendered<Value> = {
  readonly current: Value;
  /** Resolves once that has become true of it. */
  until: (isSo: (value: Value) => boolean) => Promise<Value>;
  queryClient: QueryClient;
  unmount: () => Promise<void>;
};

function Probe({ useHook }: { useHook: () => void }): ReactNode {
  useHook();
  return null;
}

/** Renders a component that uses a hook, in a page of its own; nothing else of the platform is replaced. */
export async function renderHook<Value>(
  useHook: () => Value,
  queryClient: QueryClient = new QueryClient(),
): Promise<Rendered<Value>> {
  // With an address: libraries that find a window resolve against it.
  const window = new Window({ url: 'http://127.0.0.1/' });
  Object.assign(globalThis, { window, document: window.document, IS_REACT_ACT_ENVIRONMENT: true });
  const { createRoot } = await import('react-dom/client');
  const values: Value[] = [];
  const probe = createElement(Probe, { useHook: () => void values.push(useHook()) });
  const container = document.createElement('div');
  const root = createRoot(container);
  await act(async () => root.render(createElement(QueryClientProvider, { client: queryClient }, probe)));
  const rendered: Rendered<Value> = {
    get current() {
      const value = values.at(-1);
      if (value === undefined) throw new Error('The hook gave nothing.');
      return value;
    },
    async until(isSo) {
      const deadline = performance.now() + 10_000;
      while (!isSo(rendered.current)) {
        if (performance.now() > deadline) throw new Error(`Not so within 10 s: ${JSON.stringify(rendered.current)}`);
        await act(async () => new Promise((resolve) => setTimeout(resolve, 5)));
      }
      return rendered.current;
    },
    queryClient,
    async unmount() {
      await act(async () => root.unmount());
      queryClient.clear();
    },
  };
  return rendered;
}
