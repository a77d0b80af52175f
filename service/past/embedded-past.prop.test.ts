import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LAYERS } from '#lib/contract/operation.ts';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { listedSource } from '../conformance/listed-source.ts';
import type { Source } from '../sources/observation.ts';
import { readHistoryWindow } from '../store/history-window.ts';
import { arbitraryObservations } from './arbitrary-observation.fixture.ts';
import { EmbeddedPast } from './embedded-past.ts';
import { PERIOD_MS } from './period.ts';
import { asStored } from './stored-observation.ts';

const START = upstreamInstant(Date.UTC(2026, 10, 23, 3, 20));
const SPAN_MS = 3 * PERIOD_MS;

const deg = (max: number) => fc.oneof(fc.double({ min: -max, max, noNaN: true }), fc.integer({ min: -20, max: 20 }));
const question = fc.record({
  layer: fc.constantFrom(...LAYERS),
  box: fc.tuple(deg(180), deg(180), deg(90), deg(90)).map(([a, b, c, d]) => ({
    west: Math.min(a, b),
    east: Math.max(a, b),
    south: Math.min(c, d),
    north: Math.max(c, d),
  })),
  window: fc
    .tuple(fc.oneof(fc.nat(20), fc.nat(SPAN_MS)), fc.oneof(fc.integer({ min: 1, max: 20 }), fc.nat(SPAN_MS)))
    .map(([offsetMs, lengthMs]) => ({
      start: addMs(START, offsetMs - 5),
      end: addMs(START, offsetMs - 5 + Math.max(1, lengthMs)),
    })),
  maxCount: fc.integer({ min: 1, max: 40 }),
});

test('an answer is that of all observations in a list, and the same before sealing, after it, and after a restart', async () => {
  const cases = fc.tuple(arbitraryObservations(START, SPAN_MS), fc.array(question, { minLength: 3, maxLength: 6 }));
  await fc.assert(
    fc.asyncProperty(cases, fc.integer({ min: 1, max: 4 }), async ([observations, questions], batches) => {
      const folder = mkdtempSync(join(tmpdir(), 'lookout-past-'));
      let now: UpstreamInstant = addMs(START, PERIOD_MS);
      const open = () => EmbeddedPast.open({ folder, now: () => now, log: unexpected, cacheBytes: 20_000 });
      const expected = listedSource(observations.map(asStored));
      const check = async (past: EmbeddedPast) => {
        for (const { layer, box, window, maxCount } of questions) {
          const asked = { layer, bbox: box, window, limit: maxCount };
          const answer = await readHistoryWindow(sourceOf(past), (id) => id, asked, 30);
          expect(answer).toEqual(await readHistoryWindow(expected, (id) => id, asked, 30));
        }
      };
      let past = await open();
      try {
        for (let batch = 0; batch < batches; batch += 1) {
          past.append(observations.filter((_, index) => index % batches === batch));
          await past.flush();
        }
        // Of one track at one moment the order is that in which they were appended, in which batches change it.
        fc.pre(batches === 1 || !hasTwins(observations));
        await check(past);
        await past.close();
        past = await open();
        await check(past);
        now = addMs(START, 20 * PERIOD_MS);
        await past.maintain();
        expect(past.state().segments).toBe(new Set(observations.map(periodOf)).size);
        await check(past);
        await past.close();
        past = await open();
        await check(past);
        expect(past.state().dropped).toEqual({ untimely: 0, unstorable: 0, unwritten: 0 });
      } finally {
        await past.close();
        rmSync(folder, { recursive: true });
      }
    }),
    { numRuns: 15 },
  );
});

function sourceOf(past: EmbeddedPast): Source {
  return {
    live: () => [],
    history: (...asked) => past.history(...asked),
    historyTimes: (...asked) => past.historyTimes(...asked),
  };
}

function periodOf({ layer, observedAt }: { layer: string; observedAt: UpstreamInstant }): string {
  return `${layer} ${Math.floor(Number(observedAt) / PERIOD_MS)}`;
}

function hasTwins(observations: readonly { sourceId: string; layer: string; observedAt: UpstreamInstant }[]): boolean {
  return (
    new Set(observations.map((each) => `${each.sourceId} ${each.layer} ${each.observedAt}`)).size < observations.length
  );
}

function unexpected(entry: string): never {
  throw new Error(entry);
}
