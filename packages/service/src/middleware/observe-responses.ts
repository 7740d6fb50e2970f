import type { Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { ObservedResponse, ResponseObserver, Trace } from '../common/observed-response.ts';
import { pathOf } from '../http/message.ts';
import { redactSecrets } from '../keys/key-format.ts';

/** The maximum number of characters of a path in the log. Paths of operations are shorter, but callers may send 16 KB. */
const MAX_PATH = 200;
/** The longest IPv6 address with a zone or a port is shorter. */
const MAX_ADDRESS = 64;

/** As nginx logs a connection that closed before the response. Node would report a 200 that was never sent. */
const CLIENT_CLOSED_REQUEST = 499;

/** Calls the observers once for each response, after it is sent or its connection closes. Logs the failures of an observer. */
export function observeResponses(observers: readonly ResponseObserver[], log: Logger): RequestHandler {
  const fail = (err: unknown) => log.error({ err }, 'an observer in afterResponse failed');
  return (request, response, next) => {
    // Validation changes HEAD to GET.
    const { method } = request;
    // Read now, because Node forgets it when the connection closes.
    const { remoteAddress } = request.socket;
    response.on('close', () => {
      const { key, errorCode, startedAt, streamingSince, trace } = request.context;
      const endedAt = performance.now();
      const observed: ObservedResponse = {
        ...identityOf(request),
        method,
        // Behind a proxy that passes on any X-Forwarded-For, the caller wrote it. No getter: V8 gives each object with one a class of its
        // own, which keeps the whole request until the next full garbage collection.
        address: () => redactSecrets(request.ip ?? remoteAddress ?? '').slice(0, MAX_ADDRESS),
        status: response.headersSent ? response.statusCode : CLIENT_CLOSED_REQUEST,
        code: errorCode,
        milliseconds: (streamingSince ?? endedAt) - startedAt,
        streamMilliseconds: streamingSince === undefined ? undefined : endedAt - streamingSince,
        trace,
        keyId: key?.id,
        aborted: !response.writableFinished,
      };
      for (const observe of observers) {
        try {
          // The type allows async functions, too.
          const done: unknown = observe(observed);
          if (done !== undefined) Promise.resolve(done).catch(fail);
        } catch (error) {
          fail(error);
        }
      }
    });
    next();
  };
}

/** The fields that identify a request in the log. The query is left out, because it may contain secrets. */
export function identityOf(request: Request) {
  // A router changes `url` while it runs.
  const sent = pathOf(request.originalUrl);
  // Almost no path contains the beginning of a key, and a search for a whole key takes longer.
  const path = (sent.includes('_live_') || sent.includes('_test_') ? redactSecrets(sent) : sent).slice(0, MAX_PATH);
  const { requestId, route } = request.context;
  const operation = route.kind === 'operation' ? route.operation.id : route.kind;
  return { requestId, method: request.method, path, operation };
}

/** The trace of a log line, by the names that OpenTelemetry gives it in JSON. */
export function traceFields(trace: Trace | undefined): object {
  return trace === undefined ? {} : { trace_id: trace.traceId, span_id: trace.spanId };
}

/** Logs one line per response: request ID, method, path, operation, status, duration, IP address and key ID, never the key. */
export function accessLog(log: Logger): ResponseObserver {
  return (observed) => {
    // Putting a line together takes longer than the rest of this.
    if (!log.isLevelEnabled('info')) return;
    const { address, milliseconds, streamMilliseconds = 0, aborted, trace, ...response } = observed;
    const ms = Math.round((milliseconds + streamMilliseconds) * 10) / 10;
    log.info(
      { ...response, address: address(), ...traceFields(trace), ms, ...(aborted ? { aborted } : {}) },
      'request',
    );
  };
}
