import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parser } from '@prometheus-io/lezer-promql';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../../service/src/config/config.ts';
import { createMetrics } from '../../../service/src/metrics/metrics.ts';
import { root } from '../../../tooling/src/project.ts';
import { startTestServer } from '../harness.ts';
import { settingNames } from '../process.ts';

const kubernetesFolder = join(root, 'deploy/kubernetes');
const manifestFiles = readdirSync(kubernetesFolder).filter((file) => file.endsWith('.yaml'));

const deployment = readManifest('deployment.yaml', 'Deployment');
const service = readManifest('deployment.yaml', 'Service');
const budget = readManifest('deployment.yaml', 'PodDisruptionBudget');
const pod = deployment.spec.template;
const [container] = pod.spec.containers;
const settings = readManifest('settings.yaml').data;
const secrets = readManifest('secret.example.yaml').stringData;
const autoscaler = readManifest('deployment.yaml', 'HorizontalPodAutoscaler');
const [rule] = readManifest('prometheus-adapter.values.yaml').rules.custom;
/** The configuration of the server in a pod. */
const config = readConfig({ NODE_ENV: 'production', HOST: '0.0.0.0', ...settings, ...secrets });

/** The file of each kind of the Kubernetes API, and the module of its type; the other APIs have no types here. */
const kinds: [file: string, kind: string, module: string][] = [
  ['namespace.yaml', 'Namespace', 'v1'],
  ['settings.yaml', 'ConfigMap', 'v1'],
  ['secret.example.yaml', 'Secret', 'v1'],
  ['deployment.yaml', 'Deployment', 'apps/v1'],
  ['deployment.yaml', 'Service', 'v1'],
  ['deployment.yaml', 'PodDisruptionBudget', 'policy/v1'],
  ['deployment.yaml', 'HorizontalPodAutoscaler', 'autoscaling/v2'],
  ['network-policy.yaml', 'NetworkPolicy', 'networking.k8s.io/v1'],
  ['monitoring/targets.yaml', 'Service', 'v1'],
  ['monitoring/targets.yaml', 'ServiceMonitor', 'monitoring.coreos.com/v1'],
  ['monitoring/rules.yaml', 'PrometheusRule', 'monitoring.coreos.com/v1'],
];

describe('deploy/kubernetes', () => {
  test('each manifest has only fields of its kind', () => {
    const typed = kinds.map(([file, kind, module]) => ({ kind, module, manifest: readManifest(file, kind) }));
    const slip = { ...deployment, spec: { ...deployment.spec, replicaz: 3 } };
    const monitor = readManifest('monitoring/targets.yaml', 'ServiceMonitor');
    const monitorSlip = { ...monitor, spec: { ...monitor.spec, endpointz: [] } };
    const faults = typeFaults([
      ...typed,
      { kind: 'Deployment', module: 'apps/v1', manifest: slip },
      { kind: 'ServiceMonitor', module: 'monitoring.coreos.com/v1', manifest: monitorSlip },
    ]);
    expect(faults).toEqual([
      expect.stringMatching(/^Deployment-\d+\.ts.*replicaz.* does not exist/),
      expect.stringMatching(/^ServiceMonitor-\d+\.ts.*endpointz.* does not exist/),
    ]);
  });

  test('sets only variables that the server reads, with valid values', () => {
    const names = Object.keys({ ...settings, ...secrets });
    expect(names.filter((name) => !settingNames.has(name))).toEqual([]);
    expect(config.production).toBe(true);
    expect(config.host).toBe('0.0.0.0');
  });

  test('labels, ports and names match', () => {
    const { matchLabels } = deployment.spec.selector;
    expect(pod.metadata.labels).toMatchObject(matchLabels);
    expect(service.spec.selector).toEqual(matchLabels);
    expect(budget.spec.selector.matchLabels).toEqual(matchLabels);
    const { podSelector, ingress, egress, policyTypes } = readManifest('network-policy.yaml').spec;
    expect(policyTypes).toEqual(['Ingress', 'Egress']);
    const reached = egress.flatMap((rule: { ports: { port: number }[] }) => rule.ports.map(({ port }) => port));
    // DNS over UDP and TCP, PostgreSQL and Redis.
    expect(reached).toEqual([53, 53, 5432, 6379]);
    expect(podSelector.matchLabels).toEqual(matchLabels);
    const open = ingress.flatMap((rule: { ports: { port: string }[] }) => rule.ports.map(({ port }) => port));
    expect(open).toEqual(container.ports.map(({ name }: { name: string }) => name));
    const metricsService = readManifest('monitoring/targets.yaml', 'Service');
    expect(metricsService.spec.selector).toEqual(matchLabels);
    expect(metricsService.spec.ports[0].targetPort).toBe('metrics');
    const monitor = readManifest('monitoring/targets.yaml', 'ServiceMonitor').spec;
    expect(monitor.selector.matchLabels).toEqual(metricsService.metadata.labels);
    expect(monitor.endpoints[0].port).toBe(metricsService.spec.ports[0].name);
    const ports = Object.fromEntries(
      container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [name, containerPort]),
    );
    expect(ports).toEqual({ http: config.port, metrics: config.metrics?.port });
    expect(pod.metadata.annotations['prometheus.io/port']).toBe(String(config.metrics?.port));
    expect(service.spec.ports[0].targetPort).toBe('http');
    const sources = container.envFrom.map((source: Record<string, { name: string }>) => Object.values(source)[0]?.name);
    expect(sources).toEqual([
      readManifest('settings.yaml').metadata.name,
      readManifest('secret.example.yaml').metadata.name,
    ]);
    expect(autoscaler.spec.scaleTargetRef.name).toBe(deployment.metadata.name);
    const route = readManifest('gateway.example.yaml').spec.rules[0].backendRefs[0];
    expect(route).toEqual({ name: service.metadata.name, port: service.spec.ports[0].port });
  });

  test('a pod has time to drain before it is killed, and all pods together have enough connections', () => {
    const drain = (config.drainDelay + config.drainDeadline) / 1_000;
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drain + 5);
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    expect(config.drainDelay / 1_000).toBeGreaterThan(periodSeconds * failureThreshold);
    const pods = autoscaler.spec.maxReplicas + deployment.spec.strategy.rollingUpdate.maxSurge;
    // 8 in the pool and one for /readyz. The limit is PostgreSQL's default without the connections reserved for
    // administrators.
    expect(pods * 9).toBeLessThanOrEqual(100 - 3);
    expect(autoscaler.spec.minReplicas).toBeGreaterThan(budget.spec.maxUnavailable);
  });

  test('the server has the probes and the metric for scaling', async () => {
    await using server = await startTestServer({ config: { metrics: { host: '127.0.0.1', port: 0 } } });
    for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
      expect((await fetch(`${server.url}${probe.httpGet.path}`)).status).toBe(200);
    }
    await server.call('listPets');
    const metrics = await (await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`)).text();
    const [series = ''] = rule.seriesQuery.split('{');
    expect(metrics).toMatch(new RegExp(`^${series}\\{operation="listPets",status="200"\\} 1$`, 'm'));
    expect(metrics).toMatch(new RegExp(`^${series}\\{operation="page",`, 'm'));
    expect(rule.metricsQuery).toContain('operation!="page"');
    expect(autoscaler.spec.metrics[0].pods.metric.name).toBe(rule.name.as);
  });

  test('no manifest contains a password', () => {
    for (const file of manifestFiles) {
      const urls = readFileSync(join(kubernetesFolder, file), 'utf8').match(/:\/\/[^@\s]*:[^@\s]*@/g) ?? [];
      expect(urls.filter((url) => !url.includes(':PASSWORD@'))).toEqual([]);
    }
  });
});

// biome-ignore lint/suspicious/noExplicitAny: each kind has its own shape, of which the tests read parts
function readManifest(file: string, kind?: string): any {
  const manifests = parseAllDocuments(readFileSync(join(kubernetesFolder, file), 'utf8')).map((one) => one.toJS());
  return kind === undefined ? manifests[0] : manifests.find((manifest) => manifest.kind === kind);
}

/** A manifest, and the type that it must have: `Deployment` of `apps/v1`. */
type TypedManifest = { kind: string; module: string; manifest: unknown };

/**
 * The errors of the TypeScript compiler in manifests. Unlike Kubernetes' own schemas it refuses a field that a kind does
 * not have, which a cluster would ignore.
 */
function typeFaults(manifests: readonly TypedManifest[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-manifests-'));
  try {
    symlinkSync(join(root, 'packages/server/node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const files = manifests.map(({ kind, module, manifest }, index) => {
      const file = `${kind}-${index}.ts`;
      // The types of the Prometheus Operator are in a separate package.
      const isOperator = module.startsWith('monitoring.coreos.com/');
      const source = isOperator ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
      const type = `import type { I${kind} } from '${source}/${module}';`;
      writeFileSync(join(folder, file), `${type}\nconst manifest: I${kind} = ${JSON.stringify(manifest)};\n`);
      return file;
    });
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const options = '--noEmit --strict --skipLibCheck --module nodenext --target es2024';
    const parameters = [compiler, ...options.split(' '), ...files];
    const { stdout } = spawnSync(process.execPath, parameters, { cwd: folder, encoding: 'utf8' });
    return stdout.split('\n').filter((line) => line.includes('error'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const folder = join(root, 'deploy/kubernetes/monitoring');
const read = (file: string) => readFileSync(join(folder, file), 'utf8');

type Rule = {
  alert: string;
  expr: string;
};
const rules: Rule[] = parse(read('rules.yaml')).spec.groups.flatMap(({ rules }: { rules: Rule[] }) => rules);

type Panel = { title: string; targets: { expr: string }[] };
const panels: Panel[] = JSON.parse(read('dashboard.json')).panels;

const expressions: [where: string, expression: string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }): [string, string] => [title, expr])),
];

/** Metrics that Prometheus itself sets for each target. */
const ofPrometheus = ['up'];

/** The names of the samples of a server that uses PostgreSQL and Redis. */
async function sampleNames(): Promise<Set<string>> {
  const { registry } = createMetrics({
    prefix: 'animal_store',
    storage: {
      ping: () => Promise.resolve(),
      load: {
        waiting: () => ({}),
        maxWaiting: 1,
        connections: { open: () => 0, used: () => 0, limit: 1 },
      },
    },
    counted: { answered: 0, failed: 0 },
    queues: () => [],
    shed: () => ({}),
    droppedLines: () => 0,
  });
  const metrics = await registry.getMetricsAsJSON();
  return new Set(metrics.flatMap(({ name }) => [name, `${name}_bucket`, `${name}_count`, `${name}_sum`]));
}

/** The names of the metrics in an expression. Throws if it is not PromQL. */
function metricsIn(expression: string): string[] {
  const names: string[] = [];
  // A variable of Grafana.
  const text = expression.replaceAll('$__rate_interval', '5m');
  parser.parse(text).iterate({
    enter({ type, name, from, to, node }) {
      if (type.isError) throw new SyntaxError(`${text.slice(from, from + 20)} is not PromQL.`);
      const isMetric = name === 'Identifier' && node.parent?.name === 'VectorSelector';
      if (isMetric) names.push(text.slice(from, to));
    },
  });
  return names;
}

describe('deploy/kubernetes/monitoring', () => {
  test('every alert and panel is valid PromQL, and uses only metrics that the server has', async () => {
    const names = await sampleNames();
    const asked = expressions.flatMap(([where, expression]) => metricsIn(expression).map((name) => [where, name]));
    expect(asked.length).toBeGreaterThan(30);
    expect(asked.filter(([, name = '']) => !names.has(name) && !ofPrometheus.includes(name))).toEqual([]);
    expect(() => metricsIn('rate(up[5m)')).toThrow('is not PromQL');
  });

  test('docs/operate explains every metric of the server and every alert', async () => {
    const guide = readFileSync(join(root, 'docs/operate/monitoring.md'), 'utf8');
    const own = [...(await sampleNames())].filter((name) => /^animal_store_.*(?<!_bucket|_count|_sum)$/.test(name));
    expect(own.filter((name) => !guide.includes(`| \`${name}\``))).toEqual([]);
    const runbook = readFileSync(join(root, 'docs/operate/runbook.md'), 'utf8');
    const explained = [...runbook.matchAll(/^\| `(AnimalStore\w+)` \|/gm)].map(([, alert]) => alert);
    expect(explained.sort()).toEqual(rules.map(({ alert }) => alert).sort());
  });
});
