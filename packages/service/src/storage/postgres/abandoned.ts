/** The backends of PostgreSQL whose connections this process has given up because an answer did not arrive in time. */
export type AbandonedBackends = {
  readonly size: number;
  /** Resolves when the backend has ended. */
  add: (pid: number) => Promise<void>;
  /** Finds out which of them have ended. Resolves in any case. */
  check: () => Promise<void>;
};

/** Milliseconds between two checks. */
const CHECK_INTERVAL = 1_000;

/**
 * Ends the backends that can be ended, and returns those that still run. A backend notices only at its next write that its client is
 * gone. One whose commit waits for a synchronous replica keeps waiting: ending it would commit without the replica. A backend that
 * started after an abandoned one with its process ID was given up, for example after a restart of PostgreSQL, belongs to somebody else.
 */
export const LEFT = {
  name: 'abandoned.left',
  text: `SELECT pid, CASE WHEN wait_event IS DISTINCT FROM 'SyncRep' THEN pg_terminate_backend(pid) END
    FROM unnest($1::int[], $2::float8[]) AS abandoned (pid, seconds) JOIN pg_stat_activity USING (pid)
    WHERE backend_start <= clock_timestamp() - make_interval(secs => seconds)`,
};

/** Keeps track of abandoned backends: each still takes a connection of the server, and may hold locks. */
export function createAbandonedBackends(
  ask: (pids: number[], seconds: number[]) => Promise<readonly unknown[]>,
): AbandonedBackends {
  /** By process ID: what to call when it has ended, and when it was given up, by `performance.now()`. */
  const waiting = new Map<number, { resolve: () => void; since: number }>();
  let checking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function checkNow(): Promise<void> {
    const asked = [...waiting.keys()];
    // Without an answer, all of them may still run.
    const now = performance.now();
    const seconds = asked.map((pid) => (now - (waiting.get(pid)?.since ?? now)) / 1_000);
    const left = new Set(await ask(asked, seconds).catch(() => asked));
    for (const pid of asked) {
      if (left.has(pid)) continue;
      waiting.get(pid)?.resolve();
      waiting.delete(pid);
    }
  }

  function check(): Promise<void> {
    if (waiting.size === 0) return Promise.resolve();
    checking ??= checkNow().finally(() => {
      checking = undefined;
      schedule();
    });
    return checking;
  }

  function schedule(): void {
    clearTimeout(timer);
    if (waiting.size > 0) timer = setTimeout(() => void check(), CHECK_INTERVAL).unref();
  }

  return {
    get size() {
      return waiting.size;
    },
    add(pid) {
      const { promise, resolve } = Promise.withResolvers<void>();
      // The system has given the ID of a backend that ended to another one.
      waiting.get(pid)?.resolve();
      waiting.set(pid, { resolve, since: performance.now() });
      schedule();
      return promise;
    },
    check,
  };
}
