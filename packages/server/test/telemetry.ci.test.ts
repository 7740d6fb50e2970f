import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../service/src/config/config.ts';
import { eventually } from '../../testing/src/child.ts';
import { startTestServer } from './harness.ts';
import { runToItsEnd, startProcess } from './process.ts';

const folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerSpanId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${callerSpanId}-01`;

describe('traceparent', () => {
  const laterVersion = `cc-${traceId}-${callerSpanId}-01-later`;
  const invalid = [
    `ff-${traceId}-${callerSpanId}-01`,
    `${traceparent}-later`,
    `00-${'0'.repeat(32)}-${callerSpanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    traceparent.toUpperCase(),
    `${traceparent}, ${traceparent}`,
  ];

  test('is logged if it is valid, and ignored otherwise', async () => {
    await using server = await startTestServer();
    const sent = [traceparent, laterVersion, ...invalid];
    for (const header of sent) await server.call('listPets', { headers: { traceparent: header } });
    const lines = () => server.log().trim().split('\n');
    await eventually(() => lines().length === sent.length, server.log);
    const traces = lines()
      .map((line) => JSON.parse(line))
      .map(({ trace_id, span_id }) => [trace_id, span_id]);
    const valid = [traceId, callerSpanId];
    expect(traces).toEqual([valid, valid, ...invalid.map(() => [undefined, undefined])]);
  });
});

describe('OpenTelemetry', () => {
  const received: { path: string; body: string }[] = [];
  const collector = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    received.push({ path: request.url ?? '', body });
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  let environment: Record<string, string>;

  beforeEach(async () => {
    received.length = 0;
    collector.listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const address = collector.address();
    environment = {
      DATABASE_URL: `sqlite:${join(folder, 'a.db')}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    };
  });
  afterEach(() => void collector.close());

  /** The spans that the collector has received, by their fields. */
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of OTLP, of which the tests read parts
  function spans(): any[] {
    const traces = received.filter(({ path }) => path === '/v1/traces').map(({ body }) => JSON.parse(body));
    return traces.flatMap(({ resourceSpans: [resource] }) => resource.scopeSpans[0].spans);
  }

  test('gets one span for a request, in the trace of the caller, and its duration as a metric', async () => {
    const server = await startProcess({ ...environment, NODE_ENV: 'production', API_MODE: 'test' });
    const response = await fetch(`${server.url}/v1/pets/7`, { headers: { traceparent } });
    expect(response.status).toBe(401);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(spans()).toHaveLength(1);
    const [{ attributes, ...span }] = spans();
    expect(span).toMatchObject({ name: 'GET /v1/pets/{petId}', kind: 2, traceId, parentSpanId: callerSpanId });
    const values = Object.fromEntries(
      attributes.map(({ key, value }: { key: string; value: object }) => [key, Object.values(value)[0]]),
    );
    expect(values).toMatchObject({
      'http.request.method': 'GET',
      'http.route': '/v1/pets/{petId}',
      'http.response.status_code': 401,
      'error.type': 'api_key_missing',
      'url.path': '/v1/pets/7',
      'animal_store.request_id': response.headers.get('x-request-id'),
    });
    const line = server
      .output()
      .split('\n')
      .find((text) => text.includes('"msg":"request"'));
    expect(JSON.parse(line ?? '')).toMatchObject({ trace_id: traceId, span_id: span.spanId });
    const metrics = received.filter(({ path }) => path === '/v1/metrics').map(({ body }) => body);
    expect(metrics.join()).toContain('http.server.request.duration');
    expect(received[0]?.body).toContain('"stringValue":"animal-store"');
  });

  test('is on with an endpoint, unless OTEL_SDK_DISABLED is set', () => {
    const endpoint = 'http://localhost:4318';
    expect(readConfig({}).telemetry).toBeUndefined();
    expect(readConfig({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint }, 'animal-store').telemetry).toEqual({
      serviceName: 'animal-store',
    });
    expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'true' }).telemetry).toBeUndefined();
    expect(() => readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' })).toThrow('it must be a URL');
  });

  test('that is not installed refuses the start with a sentence that says what to do', async () => {
    const hide = `import { registerHooks } from 'node:module';
      registerHooks({ resolve: (name, context, next) => {
        if (!name.startsWith('@opentelemetry/')) return next(name, context);
        throw Object.assign(new Error(name), { code: 'ERR_MODULE_NOT_FOUND' });
      } });`;
    const options = `--import data:text/javascript,${encodeURIComponent(hide)}`;
    const { code, output } = await runToItsEnd({ ...environment, NODE_OPTIONS: options });
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/OpenTelemetry is not installed. Install @opentelemetry\/api/),
    ]);
  });
});
