import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LIVE_REASONS, REPLAY_REASONS } from '#lib/api/layer-reason.ts';
import { Metrics } from '#lib/server/metrics/metrics.ts';
import { documentText, tableRows } from './document.ts';

const FILE = 'docs/operating.md';

describe('docs/operating.md', () => {
  test('says of each reason its cause and what to do, and of no other', () => {
    const rows = tableRows(FILE, 'reason code');
    const codes = new Set(rows.map(([code]) => code));
    expect(codes).toEqual(new Set(Object.keys({ ...LIVE_REASONS, ...REPLAY_REASONS })));
    expect(rows).toHaveLength(codes.size);
    for (const [, cause = '', remedy = ''] of rows) expect([cause, remedy].join()).toMatch(/\S.*,\S/);
  });

  test('says of each alert what to do, and of no other', () => {
    const alerts = [...readFileSync('ops/prometheus/alerts.yml', 'utf8').matchAll(/- alert: (\S+)/g)].map(
      ([, name]) => name,
    );
    const described = [...documentText(FILE).matchAll(/^### (\S+)\n(\S.*)/gm)].map(([, name]) => name);
    expect(described).toEqual(alerts);
    expect(alerts.length).toBeGreaterThan(5);
  });

  test('names no metric that there is not', async () => {
    const metrics = new Metrics({
      version: '0',
      status: { read: () => Promise.reject(new Error('not asked')) },
      history: { loads: { running: 0, waiting: 0 } },
      kept: () => ({ past: 0, trails: 0 }),
      client: { waiting: { live: 0, history: 0 }, inFlight: 0 },
      sessions: undefined,
      machineClock: { steps: 0, lastStep: undefined },
      audit: { waiting: 0 },
      database: undefined,
    });
    for (const name of documentText(FILE).match(/\blookout_[a-z_]+/g) ?? []) expect(metrics.names).toContain(name);
  });
});
