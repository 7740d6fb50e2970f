/** A panel for developers: which call waits, why and until when. It needs no framework, and is no part of other entries. */
import type { Client } from '../client.ts';
import type { EventListener } from '../sending/events.ts';
import { createCallLog, type DevtoolsState } from './calls.ts';
import { createPanel } from './panel.ts';

export type { DevtoolsCall, DevtoolsState } from './calls.ts';

/** The parts of a client that the panel needs. */
export type DevtoolsClient = Pick<Client<object>, 'rateLimit' | 'resume'>;

export type Devtools = {
  /** The option of the client whose calls are shown. */
  onEvent: EventListener;
  /** The calls of the client: those that have not ended, and the latest ones that have. */
  state: () => DevtoolsState;
  /**
   * A new element that shows the calls and the quota, with a button that sends waiting calls. It follows them while it is on a
   * page.
   */
  panel: (client: DevtoolsClient) => HTMLElement;
};

/** Devtools for one client: pass `onEvent` to the client, and the client to `panel`. */
export function createDevtools(): Devtools {
  const { onEvent, state } = createCallLog();
  const listeners = new Set<() => void>();
  return {
    onEvent(event) {
      onEvent(event);
      for (const listener of listeners) listener();
    },
    state,
    panel: (client) =>
      createPanel(client, state, (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      }),
  };
}
