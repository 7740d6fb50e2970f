/** Loaded into a server with `--import`. Reports the resource usage of the process on request. */

/** Bytes in use after a garbage collection. */
export type MemoryReport = { heap: number; resident: number };

/** Microseconds of processor time since the start, and bytes of resident memory without a garbage collection. */
export type UsageReport = { cpu: number; resident: number };

process.on('message', (question) => {
  process.send?.(question === 'usage' ? usage() : memory());
});
// This channel must not keep the server alive.
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
