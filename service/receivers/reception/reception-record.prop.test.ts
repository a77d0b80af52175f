import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Layer } from '#lib/contract/operation.ts';
import { pastReceptionSchema, RECEPTION_STATES, RECEPTION_STRETCHES_MAX } from '#lib/contract/reception.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { boundedStretches, ReceptionRecord, type ReceptionSample, type StateRun, stateOf } from './reception-record.ts';

/** The first minutes are before midnight. */
const START_MS = Date.UTC(2026, 10, 23, 23, 55);
const LAYERS_OF: Readonly<Record<string, readonly Layer[]>> = { roof: ['adsb'], hill: ['adsb'], hut: ['rid', 'adsb'] };
const IDS = Object.keys(LAYERS_OF);

const all = (ids: readonly string[]) => new Set(ids);
const within = (fromMs: number, toMs: number) => ({ start: upstreamInstant(fromMs), end: upstreamInstant(toMs) });
const stretchesOf = (record: ReceptionRecord, layer: Layer, fromMs: number, toMs: number) =>
  record
    .stretches(layer, within(fromMs, toMs), { counts: all, oldestRecordedMs: undefined })
    .map(({ from, to, state }) => ({
      fromMs: epochMs(from),
      toMs: epochMs(to),
      state,
    }));

function feed(id: string, isReceiving: boolean, sinceMs: number): ReceptionSample {
  return { id, layers: LAYERS_OF[id] ?? ['adsb'], isReceiving, sinceMs };
}

/** Each second, a feed dies 3 s before it is noticed, or returns at once. */
const anySecond = fc.record({ flips: fc.subarray(IDS), weight: fc.nat(9) });

describe('the times of reception', () => {
  test('are those of the samples at each second, of any layer, across midnight and after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reception-record-'));
    let kept: ReceptionRecord | undefined;
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(anySecond, { minLength: 20, maxLength: 600 }), async (seconds) => {
          await rm(folder, { recursive: true, force: true });
          const record = await ReceptionRecord.open(folder, (entry) => {
            throw new Error(entry);
          });
          const stretchStartMs = START_MS;
          const isReceiving = new Map(IDS.map((id) => [id, true]));
          const sinceMs = new Map(IDS.map((id) => [id, START_MS]));
          /** Reception by second and feed. */
          const naive = seconds.map(() => new Map<string, boolean>());
          record.sample(
            { wallMs: START_MS, steadyMs: 0 },
            IDS.map((id) => feed(id, true, START_MS)),
          );
          for (const [index, { flips, weight }] of seconds.entries()) {
            const nowMs = START_MS + (index + 1) * SECOND_MS;
            for (const id of IDS) {
              // Rare, and never within the 3 s that a death needs.
              const mayFlip = weight === 0 && nowMs - sinceMs.get(id)! >= 8 * SECOND_MS;
              if (mayFlip && flips.includes(id)) {
                const wasReceiving = isReceiving.get(id);
                isReceiving.set(id, !wasReceiving);
                sinceMs.set(id, wasReceiving ? nowMs - 3 * SECOND_MS : nowMs);
                if (wasReceiving) for (let back = 0; back < 3; back += 1) naive[index - back]!.set(id, false);
                else naive[index]!.set(id, false);
              } else naive[index]!.set(id, isReceiving.get(id)!);
            }
            record.sample(
              { wallMs: nowMs, steadyMs: (index + 1) * SECOND_MS },
              IDS.map((id) => feed(id, isReceiving.get(id)!, sinceMs.get(id)!)),
            );
          }
          await record.flush();
          kept = await ReceptionRecord.open(folder, (entry) => {
            throw new Error(entry);
          });
          const endMs = START_MS + seconds.length * SECOND_MS;
          for (const each of [record, kept]) {
            for (const layer of ['adsb', 'rid'] as const) {
              const stretches = stretchesOf(each, layer, stretchStartMs, endMs);
              for (const [index, states] of naive.entries()) {
                const atMs = START_MS + index * SECOND_MS + 500;
                const able = IDS.filter((id) => LAYERS_OF[id]!.includes(layer));
                const missing = able.filter((id) => !states.get(id)).length;
                const found = stretches.filter(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs);
                expect(found.map(({ state }) => state)).toEqual([stateOf(able.length, missing, 0)]);
              }
              for (const [index, { fromMs, toMs, state }] of stretches.entries()) {
                expect(fromMs).toBeLessThan(toMs);
                const next = stretches[index + 1];
                if (next) expect([next.fromMs, next.state === state]).toEqual([toMs, false]);
              }
            }
          }
        }),
        { numRuns: 40 },
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('fit into an answer, cover the same time, and are nowhere better than they were', () => {
    const anyRuns = fc
      .array(fc.record({ ms: fc.integer({ min: 1, max: 20_000 }), state: fc.constantFrom(...RECEPTION_STATES) }), {
        maxLength: 2000,
      })
      .map((lengths) => {
        const runs: StateRun[] = [];
        let fromMs = START_MS;
        for (const { ms, state } of lengths) {
          if (runs.at(-1)?.state !== state) runs.push({ fromMs, toMs: fromMs + ms, state });
          else runs[runs.length - 1] = { ...runs.at(-1)!, toMs: fromMs + ms };
          fromMs += ms;
        }
        return runs;
      });
    const rank = { ok: 0, partly: 1, none: 2, lost: 3 };
    fc.assert(
      fc.property(anyRuns, (runs) => {
        const bounded = boundedStretches(runs);
        expect(bounded.length).toBeLessThanOrEqual(RECEPTION_STRETCHES_MAX);
        expect(bounded[0]?.fromMs).toBe(runs[0]?.fromMs);
        expect(bounded.at(-1)?.toMs).toBe(runs.at(-1)?.toMs);
        for (const { fromMs, state } of runs) {
          const shown = bounded.find((each) => each.fromMs <= fromMs && fromMs < each.toMs)!;
          expect(rank[shown.state]).toBeGreaterThanOrEqual(rank[state]);
        }
        if (runs.length <= RECEPTION_STRETCHES_MAX) expect(bounded).toEqual(runs);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a record', () => {
  let folder: string;
  let log: string[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reception-record-'));
    log = [];
  });
  afterEach(() => rm(folder, { recursive: true }));

  const open = () => ReceptionRecord.open(folder, (entry) => log.push(entry));
  const ROOF = feed('roof', true, START_MS);

  async function recorded(): Promise<ReceptionRecord> {
    const record = await open();
    for (let second = 0; second <= 60; second += 1)
      record.sample({ wallMs: START_MS + second * SECOND_MS, steadyMs: second * SECOND_MS }, [ROOF]);
    await record.flush();
    return record;
  }

  test('says of the time without a service that nothing was received', async () => {
    await recorded();
    const again = await open();
    const backMs = START_MS + 8 * HOUR_MS;
    again.sample({ wallMs: backMs, steadyMs: 0 }, [feed('roof', true, backMs)]);
    again.sample({ wallMs: backMs + SECOND_MS, steadyMs: SECOND_MS }, [feed('roof', true, backMs)]);
    const stoppedMs = START_MS + MINUTE_MS;
    expect(stretchesOf(again, 'adsb', START_MS, backMs + HOUR_MS)).toEqual([
      { fromMs: START_MS, toMs: stoppedMs, state: 'ok' },
      { fromMs: stoppedMs, toMs: backMs, state: 'lost' },
      { fromMs: backMs, toMs: backMs + SECOND_MS, state: 'ok' },
    ]);
    expect(stretchesOf(again, 'rid', START_MS, backMs).map(({ state }) => state)).toEqual(['none']);
    expect(stretchesOf(again, 'adsb', START_MS - HOUR_MS, START_MS)).toEqual([
      { fromMs: START_MS - HOUR_MS, toMs: START_MS, state: 'none' },
    ]);
  });

  test('has no gap between the last sample and a loss that follows within a second', () => {
    const record = ReceptionRecord.inMemory();
    record.sample({ wallMs: START_MS, steadyMs: 0 }, [feed('roof', true, START_MS)]);
    record.sample({ wallMs: START_MS + SECOND_MS, steadyMs: SECOND_MS }, [feed('roof', false, START_MS + 400)]);
    expect(stretchesOf(record, 'adsb', START_MS, START_MS + SECOND_MS)).toEqual([
      { fromMs: START_MS, toMs: START_MS + 400, state: 'ok' },
      { fromMs: START_MS + 400, toMs: START_MS + SECOND_MS, state: 'lost' },
    ]);
  });

  test('knows nothing of times that a clock skipped, and both passes of times that it repeats', () => {
    const record = ReceptionRecord.inMemory();
    const at = (wallMs: number, steadyMs: number, isReceiving = true, sinceMs = START_MS) =>
      record.sample({ wallMs: wallMs, steadyMs: steadyMs }, [feed('roof', isReceiving, sinceMs)]);
    at(START_MS, 0);
    at(START_MS + MINUTE_MS, MINUTE_MS);
    at(START_MS + HOUR_MS, MINUTE_MS + SECOND_MS);
    at(START_MS + HOUR_MS + MINUTE_MS, 2 * MINUTE_MS + SECOND_MS);
    expect(stretchesOf(record, 'adsb', START_MS, START_MS + 2 * HOUR_MS)).toEqual([
      { fromMs: START_MS, toMs: START_MS + MINUTE_MS, state: 'ok' },
      { fromMs: START_MS + HOUR_MS, toMs: START_MS + HOUR_MS + MINUTE_MS, state: 'ok' },
    ]);
    const lostMs = START_MS + 30 * SECOND_MS;
    at(START_MS, 2 * MINUTE_MS + 2 * SECOND_MS);
    at(START_MS + MINUTE_MS, 3 * MINUTE_MS + 2 * SECOND_MS, false, lostMs);
    expect(stretchesOf(record, 'adsb', START_MS, START_MS + MINUTE_MS)).toEqual([
      { fromMs: START_MS, toMs: lostMs, state: 'ok' },
      { fromMs: lostMs, toMs: START_MS + MINUTE_MS, state: 'lost' },
    ]);
  });

  test('says of the time in which the machine slept that nothing was received', () => {
    const record = ReceptionRecord.inMemory();
    const at = (wallMs: number, steadyMs: number, uptimeMs: number) =>
      record.sample({ wallMs, steadyMs, uptimeMs }, [feed('roof', true, START_MS)]);
    const sleepMs = START_MS + MINUTE_MS;
    const wokenMs = sleepMs + 8 * HOUR_MS;
    at(START_MS, 0, 5000);
    at(sleepMs, MINUTE_MS, MINUTE_MS + 5000);
    at(wokenMs, MINUTE_MS + SECOND_MS, MINUTE_MS + 8 * HOUR_MS + 5000);
    at(wokenMs + MINUTE_MS, 2 * MINUTE_MS + SECOND_MS, 2 * MINUTE_MS + 8 * HOUR_MS + 5000);
    expect(stretchesOf(record, 'adsb', START_MS, wokenMs + MINUTE_MS)).toEqual([
      { fromMs: START_MS, toMs: sleepMs, state: 'ok' },
      { fromMs: sleepMs, toMs: wokenMs, state: 'lost' },
      { fromMs: wokenMs, toMs: wokenMs + MINUTE_MS, state: 'ok' },
    ]);
  });

  test('names a damaged file, and knows nothing of its day', async () => {
    await recorded();
    const file = join(folder, '2026-11-23.json');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.slice(0, text.length / 2));
    await writeFile(join(folder, '2026-11-22.json'), '{"version":3}');
    const again = await open();
    expect(log).toHaveLength(2);
    expect(log.join('\n')).toMatch(/2026-11-23\.json is damaged .*\n.*2026-11-22\.json was written by a newer Lookout/);
    again.sample({ wallMs: START_MS + 2 * MINUTE_MS, steadyMs: 0 }, [ROOF]);
    again.sample({ wallMs: START_MS + 3 * MINUTE_MS, steadyMs: MINUTE_MS }, [ROOF]);
    expect(stretchesOf(again, 'adsb', START_MS, START_MS + HOUR_MS)).toEqual([
      { fromMs: START_MS + 2 * MINUTE_MS, toMs: START_MS + 3 * MINUTE_MS, state: 'ok' },
    ]);
    await again.flush();
    expect(stretchesOf(await open(), 'adsb', START_MS, START_MS + HOUR_MS)).toHaveLength(1);
  });

  test('keeps 31 days, and of each a bounded number of changes', async () => {
    const record = await open();
    for (let day = 0; day < 40; day += 1) {
      const startMs = START_MS + day * DAY_MS;
      record.sample({ wallMs: startMs, steadyMs: day * DAY_MS }, [feed('roof', true, startMs)]);
      record.sample({ wallMs: startMs + SECOND_MS, steadyMs: day * DAY_MS + SECOND_MS }, [feed('roof', true, startMs)]);
      await record.flush();
    }
    expect((await readdir(folder)).length).toBeLessThanOrEqual(31);
    const busy = ReceptionRecord.inMemory();
    const fromMs = START_MS - 12 * HOUR_MS;
    for (let index = 0; index < 5000; index += 1) {
      busy.sample({ wallMs: fromMs + index * 5000, steadyMs: index * 5000 }, [
        feed('roof', index % 2 === 0, fromMs + index * 5000),
      ]);
    }
    const stretches = stretchesOf(busy, 'adsb', fromMs, fromMs + HOUR_MS);
    expect(stretches.length).toBeLessThanOrEqual(RECEPTION_STRETCHES_MAX);
    pastReceptionSchema.parse({
      stretches: stretches.map(({ fromMs, toMs, state }) => ({
        from: new Date(fromMs).toISOString(),
        to: new Date(toMs).toISOString(),
        state,
      })),
    });
  });

  test('goes on in memory while its folder cannot be written', async () => {
    await rm(folder, { recursive: true });
    await writeFile(folder, '');
    const record = await recorded();
    await record.flush();
    expect(log).toEqual([expect.stringMatching(/^reception: disk_failed: the times of reception/)]);
    expect(stretchesOf(record, 'adsb', START_MS, START_MS + HOUR_MS).map(({ state }) => state)).toEqual(['ok']);
    await rm(folder);
    await mkdir(folder);
    await record.flush();
    expect(stretchesOf(await open(), 'adsb', START_MS, START_MS + HOUR_MS)).toHaveLength(1);
  });
});
