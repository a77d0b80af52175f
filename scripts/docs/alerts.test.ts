import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { Metrics } from '#lib/server/metrics/metrics.ts';
import { metricsSources } from '#lib/server/metrics/metrics-sources.fixture.ts';
import { isMissing } from '#testing/missing-package.ts';
import { queriesOf, samplesAsked } from '#testing/prometheus-files.ts';

const RULES = 'ops/prometheus/alerts.yml';
const TESTS = 'ops/prometheus/alerts.test.yml';

const rulesSchema = z.object({ groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string() })) })) });
const testsSchema = z.object({
  tests: z.array(
    z.object({ alert_rule_test: z.array(z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()) })) }),
  ),
});

function promtool(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('/usr/bin/promtool', args, { encoding: 'utf8' });
  return { status, said: stdout + stderr };
}

test.skipIf(isMissing('prometheus'))('Prometheus takes the rules, and each fires as its test says', () => {
  expect(promtool('check', 'rules', RULES)).toMatchObject({ status: 0 });
  expect(promtool('test', 'rules', TESTS)).toMatchObject({ status: 0 });
});

test('every alert has a test in which it fires, and one in which it is silent', () => {
  const alerts = rulesSchema
    .parse(parse(readFileSync(RULES, 'utf8')))
    .groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  const tests = testsSchema
    .parse(parse(readFileSync(TESTS, 'utf8')))
    .tests.flatMap(({ alert_rule_test }) => alert_rule_test);
  const tested = (isFiring: boolean) =>
    new Set(tests.filter(({ exp_alerts }) => exp_alerts.length > 0 === isFiring).map(({ alertname }) => alertname));
  expect(alerts.length).toBeGreaterThan(20);
  expect([...tested(true)].toSorted()).toEqual(alerts.toSorted());
  expect([...tested(false)].toSorted()).toEqual(alerts.toSorted());
});

test('every query of the rules and the board asks for a metric of Lookout', () => {
  const { names } = new Metrics(metricsSources());
  const asked = queriesOf().flatMap(({ query }) => samplesAsked(query).map(({ metric }) => metric));
  const known = (metric: string) =>
    names.includes(metric.replace(/_(?:count|bucket|sum)$/, '')) || names.includes(metric);
  expect(asked.filter((metric) => metric !== 'up' && !known(metric))).toEqual([]);
});
