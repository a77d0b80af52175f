import { afterEach, expect, test } from 'vitest';
import { WAITS, type WaitReason } from '#lib/api/layer-reason.ts';
import { statusAnswerSchema } from '#lib/api/status-answer.ts';
import { NoAllowance } from '#lib/server/allowance/no-allowance.ts';
import { StoredLedger } from '#lib/server/allowance/stored-ledger.ts';
import { AreaReads } from '#lib/server/live/area-reads.ts';
import { AreaSnapshots } from '#lib/server/live/area-snapshots.ts';
import { epochMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type LiveHarness, type LiveHarnessOptions, startLiveHarness } from '#testing/live-harness.ts';
import type { Ledger } from '../allowance/ledger.ts';

let live: LiveHarness;
afterEach(() => live.close());

const start = async (options: LiveHarnessOptions = {}) => {
  live = await startLiveHarness(options);
};
const storesOver = (ledger: Ledger) => ({
  ledger,
  snapshots: new AreaSnapshots(),
  reads: new AreaReads(),
});
/** Parsed as a browser parses it. */
const areas = async () => statusAnswerSchema.parse(await live.status.read()).areas;
const untilMs = ({ until }: { readonly until: string | null }) => Date.parse(until ?? '') - epochMs(live.now());
const refresh = async () => {
  await live.scheduler.tick();
  await live.scheduler.idle();
};
const place = (index: number) => {
  const west = -170 + 20 * (index % 16);
  const south = -60 + 40 * Math.floor(index / 16);
  return { west, south, east: west + 1, north: south + 0.5 };
};

/** Refreshes an area every few seconds. */
const SMALL = { perMinute: 60, perDay: 5000 };

/** A reason without a case does not compile. */
const CASES: Readonly<Record<WaitReason, () => Promise<void>>> = {
  async not_due() {
    await start({ allowance: SMALL });
    await live.read();
    for (const area of await areas()) {
      expect(area.reason).toBe('not_due');
      expect(untilMs(area)).toBe(area.interval_ms);
    }
    live.moveClock(3000);
    for (const area of await areas()) expect(untilMs(area)).toBe((area.interval_ms ?? 0) - 3000);
  },

  async paced() {
    await start({ allowance: { perMinute: 600, perDay: 20_000 } });
    const readPlaces = () =>
      Promise.all(
        Array.from({ length: 16 }, (_, index) =>
          live.reader.read({ operator: `${index}`, session: undefined, page: 'only' }, place(index), ['rid', 'adsb']),
        ),
      );
    for (let second = 0; second < 600 && (await areas()).filter((area) => area.fetched_at).length < 32; second += 5) {
      await readPlaces();
      await refresh();
      live.moveClock(5000);
    }
    live.moveClock(MINUTE_MS - 5000);
    await readPlaces();
    await refresh();
    const paced = (await areas()).filter(({ reason }) => reason === 'paced');
    expect(paced.length).toBeGreaterThan(0);
    for (const area of paced) expect(untilMs(area)).toBeGreaterThan(0);
    const before = live.service.requests().length;
    live.moveClock(Math.min(...paced.map(untilMs)) - 1);
    await refresh();
    expect(live.service.requests()).toHaveLength(before);
    live.moveClock(1);
    await refresh();
    expect(live.service.requests()).toHaveLength(before + 1);
  },

  async waits_its_turn() {
    await start({ allowance: { perMinute: 60, perDay: 2000 } });
    await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        live.reader.read({ operator: 'greedy', session: undefined, page: `${index}` }, place(index), ['adsb']),
      ),
    );
    await live.scheduler.idle();
    const waiting = (await areas()).filter(({ reason }) => reason === 'waits_its_turn');
    expect(waiting.length).toBeGreaterThan(0);
    for (const { fetched_at, interval_ms } of waiting) expect([fetched_at, interval_ms]).toEqual([null, null]);
    expect(waiting.some(({ until }) => until !== null)).toBe(true);
  },

  async unchanged() {
    await start({ stores: storesOver(new NoAllowance()), isCounted: false });
    await live.read();
    expect((await areas()).map(({ reason }) => reason)).toEqual(['unchanged', 'unchanged']);
    live.scheduler.changed('adsb');
    live.moveClock(1000);
    await refresh();
    expect(live.countOf('live_adsb')).toBe(2);
  },
};

test.each(Object.keys(WAITS) as WaitReason[])('an area is not refreshed: %s', (reason) => CASES[reason]());

test('an area that is being refreshed has no reason', async () => {
  await start();
  await live.read();
  live.service.setFault({ kind: 'hold' });
  live.moveClock(10_000);
  await live.scheduler.tick();
  expect((await areas()).map(({ reason, until }) => [reason, until])).toEqual([
    [null, null],
    [null, null],
  ]);
  live.service.clearFault();
  await live.scheduler.idle();
});

test('an area is not refreshed where its requests cannot be kept: storage_failed, until they can', async () => {
  const ledger = StoredLedger.inMemory();
  const { reserve } = ledger;
  await start({ stores: storesOver(ledger) });
  await live.read();
  ledger.reserve = async () => ({ kind: 'refused', why: 'storage', until: undefined });
  live.moveClock(10_000);
  live.service.clearRequests();
  await refresh();
  for (const area of await areas()) expect([area.reason, untilMs(area) > 0]).toEqual(['storage_failed', true]);
  expect(live.service.requests()).toEqual([]);
  ledger.reserve = reserve;
  live.moveClock(10_000);
  await refresh();
  expect((await areas()).map(({ reason }) => reason)).toEqual(['not_due', 'not_due']);
});

test('an area that is due later than the end of a pause names the failure, and when it is due', async () => {
  await start({ allowance: SMALL });
  await live.read();
  live.moveClock((await areas())[0]?.interval_ms ?? 0);
  live.service.setFault({ kind: 'status', status: 503, retry_after: '2' });
  await refresh();
  const [tried, spared] = (await areas()).sort((a, b) => untilMs(b) - untilMs(a));
  expect(live.countOf('live_rid') + live.countOf('live_adsb')).toBe(3);
  expect(tried?.interval_ms).toBeGreaterThan(2000);
  expect([tried?.reason, tried && untilMs(tried)]).toEqual(['service_busy', tried?.interval_ms]);
  expect([spared?.reason, spared && untilMs(spared)]).toEqual(['service_busy', 2000]);
});
