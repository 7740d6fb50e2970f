/** Loaded into a server with `--import`. Reports the resource usage of the process on request. */

/** Microseconds of processor time since the start, and bytes of resident memory without a garbage collection. */
export type UsageReport = { cpu: number; resident: number };

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: user + system, resident: process.memoryUsage.rss() });
});
// This channel must not keep the server alive.
process.channel?.unref();
