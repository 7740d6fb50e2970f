import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readConfig } from '../../../packages/server/src/config/config.ts';
import { startTestServer } from '../../../packages/server/test/harness.ts';
import { settingNames } from '../../../packages/server/test/setting-names.ts';
import { root } from '../../root.ts';
import { imageSettings } from '../image/instructions.ts';
import { kubernetesFolder, manifestFiles, readManifest } from './read-manifests.ts';
import { typeFaults } from './type-faults.ts';

const image = imageSettings(readFileSync(join(root, 'Dockerfile'), 'utf8'));
const deployment = readManifest('deployment.yaml');
const pod = deployment.spec.template;
const [container] = pod.spec.containers;
const settings = readManifest('settings.yaml').data;
const secrets = readManifest('secret.example.yaml').stringData;
const autoscaler = readManifest('autoscaler.yaml');
const [rule] = readManifest('prometheus-adapter.values.yaml').rules.custom;
/** As the server reads it in a pod. */
const config = readConfig({ ...image.environment, ...settings, ...secrets });

/** Which of the Kubernetes API each manifest is; what is of other APIs has no types here. */
const kinds: Record<string, [kind: string, module: string]> = {
  'namespace.yaml': ['Namespace', 'v1'],
  'settings.yaml': ['ConfigMap', 'v1'],
  'secret.example.yaml': ['Secret', 'v1'],
  'deployment.yaml': ['Deployment', 'apps/v1'],
  'service.yaml': ['Service', 'v1'],
  'disruption-budget.yaml': ['PodDisruptionBudget', 'policy/v1'],
  'autoscaler.yaml': ['HorizontalPodAutoscaler', 'autoscaling/v2'],
};

describe('deploy/kubernetes', () => {
  test('the kustomization has every manifest but the examples and values', () => {
    const { resources, images } = readManifest('kustomization.yaml');
    expect([...resources].sort()).toEqual(
      manifestFiles()
        .filter((file) => !/\.(example|values)\.yaml$/.test(file) && file !== 'kustomization.yaml')
        .sort(),
    );
    expect(images[0].name).toBe(container.image);
    expect(
      Object.keys(kinds)
        .filter((file) => file !== 'secret.example.yaml')
        .sort(),
    ).toEqual([...resources].sort());
  });

  test('each manifest is one of its kind, with no field that the kind does not have', () => {
    const typed = Object.entries(kinds).map(([file, [kind, module]]) => ({
      kind,
      module,
      manifest: readManifest(file),
    }));
    const slip = { ...deployment, spec: { ...deployment.spec, replicaz: 3 } };
    const faults = typeFaults([...typed, { kind: 'Deployment', module: 'apps/v1', manifest: slip }]);
    expect(faults).toEqual([expect.stringMatching(/^Deployment-7\.ts.*replicaz.* does not exist/)]);
  });

  test('sets nothing that the server does not read, and all of it is right', () => {
    const names = Object.keys({ ...settings, ...secrets });
    expect(names.filter((name) => !settingNames.has(name))).toEqual([]);
    expect(config.production).toBe(true);
    expect(config.host).toBe('0.0.0.0');
  });

  test('everything finds each other: labels, ports, names', () => {
    const { matchLabels } = deployment.spec.selector;
    expect(pod.metadata.labels).toMatchObject(matchLabels);
    expect(readManifest('service.yaml').spec.selector).toEqual(matchLabels);
    expect(readManifest('disruption-budget.yaml').spec.selector.matchLabels).toEqual(matchLabels);
    const ports = Object.fromEntries(
      container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [name, containerPort]),
    );
    expect(ports).toEqual({ http: config.port, metrics: config.metrics?.port });
    expect(pod.metadata.annotations['prometheus.io/port']).toBe(String(config.metrics?.port));
    expect(readManifest('service.yaml').spec.ports[0].targetPort).toBe('http');
    const sources = container.envFrom.map((source: Record<string, { name: string }>) => Object.values(source)[0]?.name);
    expect(sources).toEqual([
      readManifest('settings.yaml').metadata.name,
      readManifest('secret.example.yaml').metadata.name,
    ]);
    expect(autoscaler.spec.scaleTargetRef.name).toBe(deployment.metadata.name);
    const route = readManifest('gateway.example.yaml').spec.rules[0].backendRefs[0];
    const service = readManifest('service.yaml');
    expect(route).toEqual({ name: service.metadata.name, port: service.spec.ports[0].port });
  });

  test('runs as the user of the image, writes nowhere, and may nothing', () => {
    const { securityContext } = pod.spec;
    expect(`${securityContext.runAsUser}:${securityContext.runAsGroup}`).toBe(image.user);
    expect(securityContext.runAsNonRoot).toBe(true);
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  test('a pod has time to drain before it is killed, and all pods together find connections', () => {
    const drain = (config.drainDelay + config.drainDeadline) / 1_000;
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drain + 5);
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    expect(config.drainDelay / 1_000).toBeGreaterThan(periodSeconds * failureThreshold);
    const pods = autoscaler.spec.maxReplicas + deployment.spec.strategy.rollingUpdate.maxSurge;
    // The default of PostgreSQL, less what it keeps for its administrators.
    expect(pods * config.workers * 8).toBeLessThanOrEqual(100 - 3);
    expect(autoscaler.spec.minReplicas).toBeGreaterThan(readManifest('disruption-budget.yaml').spec.maxUnavailable);
  });

  test('what it asks the server is there: probes, and the metric by which it scales', async () => {
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

  test('no manifest holds a password', () => {
    for (const file of manifestFiles()) {
      const urls = readFileSync(join(kubernetesFolder, file), 'utf8').match(/:\/\/[^@\s]*:[^@\s]*@/g) ?? [];
      expect(urls.filter((url) => !url.includes(':PASSWORD@'))).toEqual([]);
    }
  });
});
