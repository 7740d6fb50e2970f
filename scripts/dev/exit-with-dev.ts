/** Loaded before the server of `npm run dev`: stops the server when npm run dev ended in whatever way. */
import cluster from 'node:cluster';

if (cluster.isPrimary) process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
