import { describe, expect, test } from 'vitest';
import type { StatusAnswer } from '#lib/api/status-answer.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import { Metrics } from './metrics.ts';

const area = (viewers: number, fetched_at: string | null): StatusAnswer['areas'][number] => ({
  layer: 'adsb',
  bbox: [7, 46, 9, 48],
  viewers,
  cost: 1,
  interval_ms: 5000,
  fetched_at,
  records: 0,
  reason: null,
  until: null,
});
const window = { remaining: null, reserved: 0, size: null, resets_at: '2026-11-22T12:01:00Z' };
const layer = { state: 'ok', reason: null, since: null, until: null, reception: null } as const;
const status: StatusAnswer = {
  as_of: '2026-11-22T12:00:30Z',
  has_allowance: true,
  minute: window,
  day: window,
  spent_today: 0,
  pace_per_minute: null,
  paused_until: null,
  used_up_until: null,
  key_refused: false,
  layers: { rid: layer, adsb: layer },
  viewers: 0,
  areas: [],
  servers: null,
};

async function scrape(...answers: readonly StatusAnswer[]): Promise<readonly string[]> {
  let read = 0;
  const metrics = new Metrics({
    status: { read: async () => answers[read++] ?? status },
    history: { loads: { running: 0, waiting: 0 } },
    kept: () => ({ past: 0, trails: 0 }),
    client: { waiting: { live: 0, history: 0 }, inFlight: 0 },
    sessions: undefined,
    machineClock: { steps: 0, lastStep: undefined },
    audit: { waiting: 0 },
    database: undefined,
  });
  let text = '';
  for (const _ of answers) text = await metrics.text();
  return text.split('\n').filter((line) => line.startsWith('lookout_'));
}

describe('Metrics', () => {
  test('name the version of Lookout and of Node', async () => {
    const version = `lookout_build_info{version="${LOOKOUT_VERSION}",node="${process.versions.node}"} 1`;
    expect(await scrape(status)).toContain(version);
  });

  test('an unknown number has no value, and one that becomes unknown disappears', async () => {
    const known = { ...status, day: { ...window, remaining: 0 }, pace_per_minute: 12 };
    const values = await scrape(known);
    expect(values).toContain('lookout_allowance_remaining{window="day"} 0');
    expect(values).toContain('lookout_pace_per_minute 12');
    const names = (await scrape(known, status)).join('\n');
    for (const unknown of ['allowance_remaining', 'pace_per_minute', 'shown_age_seconds', 'lookout_sessions'])
      expect(names).not.toContain(unknown);
  });

  test('the age is that of the middle viewer and of the one worst off; what was never read has none', async () => {
    const areas = [
      area(1, '2026-11-22T12:00:00Z'),
      area(2, '2026-11-22T12:00:20Z'),
      area(3, '2026-11-22T12:00:25Z'),
      area(9, null),
    ];
    const values = await scrape({ ...status, areas });
    expect(values.filter((line) => line.startsWith('lookout_shown_age_seconds'))).toEqual([
      'lookout_shown_age_seconds{layer="adsb",of="middle"} 5',
      'lookout_shown_age_seconds{layer="adsb",of="worst"} 30',
    ]);
    expect(values).toContain('lookout_planned_areas{layer="adsb",read="no"} 1');
    expect(values).toContain('lookout_planned_areas{layer="adsb",read="yes"} 3');
  });

  test('every reason for which a layer can fail has a series from the start, 1 while it applies', async () => {
    const denied = {
      state: 'denied',
      reason: 'layer_not_approved',
      since: null,
      until: null,
      reception: null,
    } as const;
    const failing = { ...status, layers: { rid: denied, adsb: layer } };
    expect(await scrape(failing)).toContain('lookout_layer_failing{layer="rid",reason="layer_not_approved"} 1');
    expect(await scrape(failing, status)).toContain('lookout_layer_failing{layer="rid",reason="layer_not_approved"} 0');
    const series = async (...answers: readonly StatusAnswer[]) =>
      (await scrape(...answers)).filter((line) => /^lookout_layer_failing.* [01]$/.test(line)).length;
    expect(await series(failing)).toBe(await series(status));
  });

  test('the reception has a series for each state while it is known, and none otherwise', async () => {
    const reception = { state: 'lost', since: null, receivers: 3, receiving: 1 } as const;
    const lost = { state: 'failing', reason: 'receivers_lost', since: null, until: null, reception } as const;
    const reported = { ...status, layers: { rid: layer, adsb: lost } };
    const of = (values: readonly string[]) => values.filter((line) => /^lookout_layer_rece/.test(line));
    expect(of(await scrape(reported))).toEqual([
      'lookout_layer_reception{layer="adsb",state="ok"} 0',
      'lookout_layer_reception{layer="adsb",state="partly"} 0',
      'lookout_layer_reception{layer="adsb",state="lost"} 1',
      'lookout_layer_reception{layer="adsb",state="none"} 0',
      'lookout_layer_receivers{layer="adsb",receiving="yes"} 1',
      'lookout_layer_receivers{layer="adsb",receiving="no"} 2',
    ]);
    expect(of(await scrape(reported, status))).toEqual([]);
    const failing = (await scrape(reported)).filter((line) => /^lookout_layer_failing.* 1$/.test(line));
    expect(failing, 'its requests succeed').toEqual([]);
  });
});
