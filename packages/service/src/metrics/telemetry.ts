import type { Attributes } from '@opentelemetry/api';
import type { NodeSDK } from '@opentelemetry/sdk-node';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { withTimeout } from '../common/time.ts';
import { importError } from '../config/config.ts';
import { identityOf } from '../middleware/observe-responses.ts';
import type { CompiledContract } from '../openapi/compiled-contract.ts';

export type Telemetry = {
  /** Begins a span for each request. It is the active span of everything that the request calls. */
  traceRequests: RequestHandler;
  stop: () => Promise<void>;
};

/** Milliseconds to send the last spans and metrics, within the time of a stop (CLOSING_TIME). */
const LAST_EXPORT = 1_000;

/** In seconds, as in the conventions of OpenTelemetry. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/**
 * Starts the SDK of OpenTelemetry, which reads the standard variables (`OTEL_…`) itself. Spans and metrics have the
 * names of its conventions.
 * @throws ConfigError if the SDK is not installed. It has 41 MB, so it is an optional dependency.
 */
export async function startTelemetry(
  { methods }: CompiledContract,
  { service, serviceName }: { service: string; serviceName: string },
  log: Logger,
): Promise<Telemetry> {
  const { api, sdk } = await loadPackages();
  const { context, metrics, propagation, trace, SpanKind, SpanStatusCode, ROOT_CONTEXT, diag, DiagLogLevel } = api;
  const node: NodeSDK = new sdk.NodeSDK({ serviceName, instrumentations: [] });
  // Logs the errors of exporters.
  const warn = (message: string) => log.warn({ telemetry: message }, 'OpenTelemetry');
  const ignore = () => {};
  const logger = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  node.start();
  const prefix = service.replaceAll('-', '_');
  const tracer = trace.getTracer(service);
  const options = { unit: 's', advice: { explicitBucketBoundaries: buckets } };
  const requests = metrics.getMeter(service).createHistogram('http.server.request.duration', options);

  const traceRequests: RequestHandler = (request, response, next) => {
    const method = methods.some((known) => known === request.method) ? request.method : '_OTHER';
    const parent = propagation.extract(ROOT_CONTEXT, request.headers);
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER }, parent);
    const { traceId, spanId } = span.spanContext();
    request.context.trace = { traceId, spanId };
    response.on('close', () => {
      const attributes = attributesOf(request, response, method);
      const route = attributes['http.route'];
      if (route !== undefined) span.updateName(`${method} ${route}`);
      if (span.isRecording()) {
        const { path, requestId } = identityOf(request);
        span.setAttributes({ ...attributes, 'url.path': path, [`${prefix}.request_id`]: requestId });
        if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
      const { startedAt, streamingSince = performance.now() } = request.context;
      requests.record((streamingSince - startedAt) / 1_000, attributes);
    });
    context.with(trace.setSpan(parent, span), next);
  };

  const stop = () => withTimeout(node.shutdown().catch(warn), LAST_EXPORT).catch(() => {});

  return { traceRequests, stop };
}

async function loadPackages() {
  try {
    return { api: await import('@opentelemetry/api'), sdk: await import('@opentelemetry/sdk-node') };
  } catch (error) {
    throw importError(
      error,
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed. Install @opentelemetry/api and @opentelemetry/sdk-node as docs/operate/monitoring.md describes, or unset the variable.',
    );
  }
}

function attributesOf(
  { context: { contract, route, errorCode } }: Request,
  response: Response,
  method: string,
): Attributes {
  return {
    'http.request.method': method,
    'url.scheme': response.req.protocol,
    'http.response.status_code': response.statusCode,
    ...(route.kind === 'operation' ? { 'http.route': contract.contract.basePath + route.operation.facts.path } : {}),
    ...(errorCode === undefined ? {} : { 'error.type': errorCode }),
  };
}
