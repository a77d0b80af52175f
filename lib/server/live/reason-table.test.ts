import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FAILURES, type FailureReason } from '#lib/api/layer-reason.ts';
import { epochMs } from '#lib/time/instant.ts';
import type { FaultSetting } from '#service/faults/fault.ts';
import { type LiveHarness, startLiveHarness } from '#testing/live-harness.ts';

let live: LiveHarness;
beforeEach(async () => {
  live = await startLiveHarness();
});
afterEach(() => live.close());

/** What makes the service give each reason; a new one does not compile without. A window of the past alone can lie outside. */
const FAULT_OF: Readonly<Record<Exclude<FailureReason, 'outside_lookback'>, FaultSetting | 'gone'>> = {
  key_refused: { kind: 'status', status: 401 },
  layer_not_approved: { kind: 'status', status: 403 },
  allowance_used_up: { kind: 'status', status: 429 },
  service_busy: { kind: 'status', status: 503 },
  service_unreachable: 'gone',
  service_timeout: { kind: 'silent' },
  answer_unreadable: { kind: 'cut_json' },
  answer_too_large: { kind: 'huge', bytes: 40_000_000 },
  redirected: { kind: 'redirect', location: 'http://127.0.0.1:9/' },
  request_rejected: { kind: 'status', status: 404 },
};
const cases = Object.entries(FAULT_OF) as [keyof typeof FAULT_OF, FaultSetting | 'gone'][];

describe.each(cases)('%s', (reason, fault) => {
  const { state, ends } = FAILURES[reason];

  async function afterTheFault() {
    if (fault === 'gone') await live.service.close(0);
    else live.service.setFault(fault);
    await live.read();
    return (await live.read()).layers.adsb;
  }

  test('makes of a layer the state that the table says, with the records from before and without any', async () => {
    expect(await afterTheFault()).toMatchObject({ state: state.without, reason, records: [] });
    await live.close();
    live = await startLiveHarness();
    await live.read();
    live.moveClock(5000);
    expect(await afterTheFault()).toMatchObject({ state: state.withRecords, reason });
  });

  test('says until when exactly where the table says that this is known', async () => {
    const until = (await afterTheFault())?.until;
    if (ends === 'by-change') expect(until).toBeNull();
    else expect(Date.parse(until ?? '')).toBeGreaterThan(epochMs(live.now()));
  });

  test('stands in the status as denied where the layer is, and as failing otherwise', async () => {
    await afterTheFault();
    const { layers, key_refused, paused_until } = await live.status.read();
    const told = layers.adsb.state === 'ok' || layers.adsb.state === 'unknown' ? undefined : layers.adsb;
    if (told) expect(told).toMatchObject({ reason, state: state.without === 'denied' ? 'denied' : 'failing' });
    // What holds for the whole account is said once.
    else expect(key_refused || paused_until !== null).toBe(true);
  });
});
