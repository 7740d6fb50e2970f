import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { show } from './page.ts';

/** The latest result of a hook, in a component on a page. */
export type Rendered<Value> = {
  readonly current: Value;
  /** Resolves once the condition is true for the result. */
  until: (condition: (value: Value) => boolean) => Promise<Value>;
  unmount: () => Promise<void>;
};

function Probe({ useHook }: { useHook: () => void }): null {
  useHook();
  return null;
}

/** Renders a component that uses a hook, on a new page. */
export async function renderHook<Value>(
  useHook: () => Value,
  queryClient: QueryClient = new QueryClient(),
): Promise<Rendered<Value>> {
  const values: Value[] = [];
  const probe = createElement(Probe, { useHook: () => void values.push(useHook()) });
  const page = await show(createElement(QueryClientProvider, { client: queryClient }, probe));
  const rendered: Rendered<Value> = {
    get current() {
      const value = values.at(-1);
      if (value === undefined) throw new Error('The hook has returned nothing.');
      return value;
    },
    async until(condition) {
      await page.until(
        () => condition(rendered.current),
        () => rendered.current,
      );
      return rendered.current;
    },
    async unmount() {
      await page.unmount();
      queryClient.clear();
    },
  };
  return rendered;
}
