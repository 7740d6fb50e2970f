/** Loaded before the server (`--import`): says on request how much memory is in use once the garbage is gone. */
export type MemoryReport = { heap: number; resident: number };

process.on('message', () => {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  process.send?.({ heap: heapUsed, resident: rss } satisfies MemoryReport);
});
// The server ends by itself; this channel must not keep it.
process.channel?.unref();
