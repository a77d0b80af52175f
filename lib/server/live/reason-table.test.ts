import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAILURES, type FailureReason } from '#lib/api/layer-reason.ts';
import { epochMs } from '#lib/time/instant.ts';
import type { FaultSetting } from '#service/faults/fault.ts';
import { type LiveHarness, SHORT_TIMEOUTS, startLiveHarness } from '#testing/live-harness.ts';

/** Reasons of the past alone, and of our own stores. */
type NoFaultOfTheService = 'outside_lookback' | 'share_used_up' | 'storage_failed' | 'database_lost' | 'no_writer';

/** A new reason without a fault does not compile. */
const FAULT_OF: Readonly<Record<Exclude<FailureReason, NoFaultOfTheService>, FaultSetting | 'gone'>> = {
  key_refused: { kind: 'status', status: 401 },
  layer_not_approved: { kind: 'status', status: 403 },
  allowance_used_up: { kind: 'status', status: 429 },
  service_busy: { kind: 'status', status: 503 },
  service_unreachable: 'gone',
  service_timeout: { kind: 'silent' },
  answer_unreadable: { kind: 'cut_json' },
  answer_too_large: { kind: 'rows', count: 1001 },
  request_rejected: { kind: 'status', status: 404 },
};
const cases = Object.entries(FAULT_OF) as [keyof typeof FAULT_OF, FaultSetting | 'gone'][];

describe.each(cases)('%s', (reason, fault) => {
  const { state, ends } = FAILURES[reason];
  const start = () => startLiveHarness({}, reason === 'service_timeout' ? SHORT_TIMEOUTS : undefined);
  async function withFault(live: LiveHarness) {
    if (fault === 'gone') await live.service.close(0);
    else live.service.setFault(fault);
    await live.read();
    return (await live.read()).layers.adsb;
  }

  let live: LiveHarness;
  let layer: Awaited<ReturnType<typeof withFault>>;
  beforeAll(async () => {
    live = await start();
    layer = await withFault(live);
  });
  afterAll(() => live.close());

  test('gives a layer the state of the table, with and without earlier records', async () => {
    expect(layer).toMatchObject({ state: state.without, reason, records: [] });
    const other = await start();
    try {
      await other.read();
      other.moveClock(5000);
      expect(await withFault(other)).toMatchObject({ state: state.withRecords, reason });
    } finally {
      await other.close();
    }
  });

  test('has an end exactly where the table says that it is known', () => {
    const until = layer?.until;
    if (ends === 'by-change') expect(until).toBeNull();
    else expect(Date.parse(until ?? '')).toBeGreaterThan(epochMs(live.now()));
  });

  test('is why its area is not refreshed, until the next try', async () => {
    const until = layer?.until;
    const areas = (await live.status.read()).areas.filter(({ layer }) => layer === 'adsb');
    expect(areas.map((area) => area.reason)).toEqual([reason]);
    if (ends === 'by-change') expect(areas[0]?.until).toBeNull();
    else if (ends === 'at-until') expect(areas[0]?.until).toBe(until);
    else expect(Date.parse(areas[0]?.until ?? '')).toBeGreaterThanOrEqual(Date.parse(until ?? '1970-01-01T00:00:00Z'));
  });

  test('appears in the status as denied or as failing', async () => {
    const { layers, key_refused, paused_until } = await live.status.read();
    const own = layers.adsb.state === 'ok' || layers.adsb.state === 'unknown' ? undefined : layers.adsb;
    if (own) expect(own).toMatchObject({ reason, state: state.without === 'denied' ? 'denied' : 'failing' });
    else expect(key_refused || paused_until !== null).toBe(true);
  });
});
