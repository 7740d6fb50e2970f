import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { createMetrics } from '../../../../service/src/metrics/metrics.ts';
import { root } from '../../../../tooling/src/project.ts';

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
