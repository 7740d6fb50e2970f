import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { reportToPrimary } from '../metrics/workers.ts';
import { type RunningServer, startServer } from '../start.ts';
import { askPrimary } from './ask-primary.ts';
import type { Channel } from './messages.ts';

/** One of several processes on a port: a server whose primary process counts, unless Redis does, and shows its metrics. */
export function startWorker({ config, log }: { config: Config; log: Logger }): Promise<RunningServer> {
  const counted = { limiter: askPrimary(channelToPrimary()), shared: undefined, close: () => {} };
  const limiter = config.redisUrl === undefined ? counted : undefined;
  return startServer({ config, log, limiter, showMetrics: reportToPrimary });
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
