/** Loaded before the server of `npm run dev`. Stops the server when npm run dev has ended in any way. */
import cluster from 'node:cluster';

if (cluster.isPrimary) process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
