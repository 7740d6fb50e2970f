import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { reportToPrimary } from '../metrics/workers.ts';
import { openStorage } from '../operations/storage/index.ts';
import { type RunningServer, startServer } from '../start.ts';
import type { Channel } from './messages.ts';
import { createPrimaryLimiterClient } from './primary-limiter-client.ts';

/**
 * One of several processes on a port: a server whose primary process shows its metrics and counts for it, unless all
 * processes count in Redis or in the database.
 */
export async function startWorker({ config, log }: { config: Config; log: Logger }): Promise<RunningServer> {
  const storage = await openStorage(config.databaseUrl);
  const isCountedElsewhere = config.redisUrl !== undefined || storage.counters !== undefined;
  const counted = { limiter: createPrimaryLimiterClient(channelToPrimary()), shared: undefined, close: () => {} };
  const limiter = isCountedElsewhere ? undefined : counted;
  return startServer({ config, log, storage, limiter, showMetrics: reportToPrimary });
}

function channelToPrimary(): Channel {
  return {
    send(message) {
      // Without the primary process this one is about to end, and with it the requests that wait.
      if (process.connected) process.send?.(message);
    },
    listen: (listener) => void process.on('message', listener),
  };
}
