import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RECEPTION_STATES } from '#lib/contract/reception.ts';
import type { Reception } from '#lib/model/reception.ts';
import { addMs, epochMs } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { SWEEP_MS } from '#lib/zones/evaluation/times.ts';
import { ruleSchema } from '#lib/zones/rule.ts';
import { RECEPTION_NOTICED_MS } from '#lib/zones/stretches/watched-reception.ts';
import type { Database } from '../../database/database.ts';
import { memoryDatabase } from '../../database/memory-database.fixture.ts';
import { ONLY_SERVER } from '../../database/writer-lease.ts';
import { newZone } from '../new-zone.fixture.ts';
import { WORLD_START } from './crossing-world.fixture.ts';
import { RunningWatch } from './running-watch.fixture.ts';

const caller = { owner: 'al', name: 'Al', actor: 'Al', isAdmin: false };
const at = (s: number) => addMs(WORLD_START, s * SECOND_MS);
const second = (ms: number) => (ms - epochMs(WORLD_START)) / SECOND_MS;

interface Step {
  readonly afterS: number;
  readonly what: 'read' | 'pass' | 'restart';
}

/** @param receptionAt of a read, in seconds since the start */
async function watched(steps: readonly Step[], receptionAt: (atS: number, index: number) => Reception | undefined) {
  const database = await memoryDatabase();
  let running = await RunningWatch.startAt(database, ONLY_SERVER, at(0));
  // It needs all of its watched time.
  const quiet = ruleSchema.parse({ kind: 'nothing_received', layers: ['rid'], for_s: 3600 });
  await running.zones.add(caller, newZone({ rules: [quiet] }));
  await running.current.read();
  let atS = 0;
  for (const [index, { afterS, what }] of steps.entries()) {
    atS += afterS;
    if (what === 'pass') await running.passAt(at(atS));
    else {
      if (what === 'restart') {
        await running.close();
        running = await RunningWatch.startAt(database, ONLY_SERVER, at(atS));
      }
      await running.readNothing(at(atS), receptionAt(atS, index));
    }
  }
  const rows = await stretchesIn(database);
  const { untilMs, gaps } = await evaluatedIn(database);
  await running.close();
  await database.close();
  return { rows, untilS: second(untilMs), gaps };
}

async function stretchesIn(database: Database) {
  const rows = await database.query.selectFrom('zone_stretch').selectAll().orderBy('from_ms').execute();
  return rows.map(({ from_ms, to_ms, state, reason }) => ({
    fromS: second(from_ms),
    toS: second(to_ms),
    state,
    reason,
  }));
}

/** Gaps as the evaluation knows them. */
async function evaluatedIn(
  database: Database,
): Promise<{ readonly untilMs: number; readonly gaps: [number, number][] }> {
  const rows = await database.query.selectFrom('alarm_state').selectAll().where('key', 'like', 'watch|%').execute();
  return rows[0] ? JSON.parse(rows[0].state) : { untilMs: Number.NaN, gaps: [] };
}

type Watched = Awaited<ReturnType<typeof watched>>;

function expectWhole({ rows }: Watched): void {
  rows.forEach(({ fromS, toS }, index) => {
    expect(fromS).toBeLessThan(toS);
    const next = rows[index + 1];
    if (next) expect(next.fromS).toBe(toS);
  });
}

const steps = (longest: number, ...what: Step['what'][]) =>
  fc.array(
    fc.record({
      afterS: fc.integer({ min: 1, max: longest }),
      what: fc.constantFrom<Step['what']>('read', 'read', 'read', 'read', 'restart', ...what),
    }),
    { minLength: 3, maxLength: 30 },
  );

const receptions = fc.array(
  fc.option(
    fc.record({
      state: fc.constantFrom(...RECEPTION_STATES),
      sinceAgoS: fc.option(fc.integer({ min: -5, max: 200 }), { nil: undefined }),
    }),
    { nil: undefined },
  ),
  { minLength: 30, maxLength: 30 },
);

describe('the record of watching', () => {
  test('has each second once, and none as watched in which the receivers are reported as lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(steps(14, 'pass'), steps(90, 'pass')), receptions, async (all, reported) => {
        const lost: { readonly fromS: number; readonly toS: number }[] = [];
        const found = await watched(all, (atS, index) => {
          const said = reported[index];
          if (!said) return undefined;
          const since = said.sinceAgoS === undefined ? undefined : atS - said.sinceAgoS;
          if ((said.state === 'lost' || said.state === 'none') && since !== undefined)
            lost.push({ fromS: since, toS: atS });
          return { ...said, since: since === undefined ? undefined : at(since), receivers: 1, receiving: 0 };
        });
        expectWhole(found);
        for (const { fromS, toS } of lost) {
          for (const row of found.rows)
            if (row.state === 'watched')
              expect(Math.min(row.toS, toS) - Math.max(row.fromS, fromS)).toBeLessThanOrEqual(0);
          // The first sweep forgets what was before it.
          const startS = Math.max(fromS, (found.rows[0]?.fromS ?? 0) + SWEEP_MS / SECOND_MS);
          const endS = Math.min(toS, found.untilS);
          if (startS < endS)
            expect(found.gaps.some(([from, to]) => second(from) <= startS && second(to) >= endS)).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('has exactly the times without a receiver, which is missed up to 15 s later', async () => {
    const outages = fc.array(
      fc.record({
        /** A return between two reads is not seen. */
        afterS: fc.integer({ min: 8, max: 60 }),
        longS: fc.integer({ min: 1, max: 60 }),
        noticedAfterS: fc.integer({ min: 0, max: RECEPTION_NOTICED_MS / SECOND_MS }),
      }),
      { maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(steps(7), outages, async (all, each) => {
        let atS = 0;
        const times = each.map(({ afterS, longS, noticedAfterS }) => {
          const fromS = atS + afterS;
          atS = fromS + longS;
          return { fromS, toS: atS, noticedAfterS };
        });
        const noticed = new Set<(typeof times)[number]>();
        const found = await watched(all, (readS) => {
          const lost = times.find(
            ({ fromS, toS, noticedAfterS }) => readS > fromS && readS >= fromS + noticedAfterS && readS < toS,
          );
          if (lost) noticed.add(lost);
          const back = times.findLast(({ toS }) => toS <= readS);
          const since = lost ? at(lost.fromS) : back && at(back.toS);
          return { state: lost ? 'lost' : 'ok', since, receivers: 1, receiving: lost ? 0 : 1 };
        });
        expectWhole(found);
        for (const { fromS, toS, state, reason } of found.rows) {
          for (let s = fromS; s < toS; s++) {
            const isLost = [...noticed].some((outage) => s >= outage.fromS && s < outage.toS);
            expect([s, state, reason]).toEqual(isLost ? [s, 'not_watched', 'receivers_lost'] : [s, 'watched', null]);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
