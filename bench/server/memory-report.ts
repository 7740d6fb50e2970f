/** Loaded before a server (`--import`): says on request what the process has used. */

/** Bytes in use once the garbage is gone. */
export type MemoryReport = { heap: number; resident: number };

/** Microseconds of processor time since the start, and bytes of memory as they are. */
export type UsageReport = { cpu: number; resident: number };

process.on('message', (wanted) => {
  process.send?.(wanted === 'usage' ? usage() : memory());
});
// The server ends by itself; this channel must not keep it.
process.channel?.unref();

function memory(): MemoryReport {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, resident: rss };
}

function usage(): UsageReport {
  const { user, system } = process.cpuUsage();
  return { cpu: user + system, resident: process.memoryUsage.rss() };
}
