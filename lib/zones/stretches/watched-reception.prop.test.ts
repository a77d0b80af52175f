import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RECEPTION_STATES } from '#lib/contract/reception.ts';
import type { Reception } from '#lib/model/reception.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { WATCHED_RANK } from './merged-stretches.ts';
import { type Reported, reportedBetween, reportedOver, WATCHED_AS, worsenedStretch } from './watched-reception.ts';

const reception = fc
  .record({ state: fc.constantFrom(...RECEPTION_STATES), sinceMs: fc.option(fc.integer({ min: 0, max: 120 })) })
  .map(
    ({ state, sinceMs }): Reception => ({
      state,
      since: sinceMs === null ? undefined : upstreamInstant(sinceMs),
      receivers: 1,
      receiving: 1,
    }),
  );
const reported = fc.option(reception, { nil: undefined }).map((each) => reportedOver([each]));

test('parts are watched if all are, and not watched only if none is', () => {
  fc.assert(
    fc.property(fc.array(fc.option(reception, { nil: undefined }), { maxLength: 5 }), (parts) => {
      const over = reportedOver(parts);
      expect(over === undefined).toBe(parts.every((part) => part === undefined));
      if (!over) return;
      const states = parts.map((part) => WATCHED_AS[part?.state ?? 'ok'].state);
      const isOne = states.every((state) => state === states[0]);
      expect(over.state).toBe(isOne ? states[0] : 'partly');
      expect(over.reason === null).toBe(over.state === 'watched');
    }),
  );
});

test('all parts without a receiver are lost since the last one was, as far as one ever had one', () => {
  const lost = (ms: number): Reception => ({ state: 'lost', since: upstreamInstant(ms), receivers: 1, receiving: 0 });
  const none: Reception = { state: 'none', since: undefined, receivers: 0, receiving: 0 };
  expect(reportedOver([lost(5), none, lost(9)])).toEqual({
    state: 'not_watched',
    reason: 'receivers_lost',
    sinceMs: 9,
  });
  expect(reportedOver([none, none])).toEqual({ state: 'not_watched', reason: 'not_equipped', sinceMs: undefined });
  expect(reportedOver([lost(5), undefined])).toEqual({ state: 'partly', reason: 'receivers_lost', sinceMs: 5 });
});

test('the time between two reads is covered once, up to the last one in the state that it reports', () => {
  fc.assert(
    fc.property(reported, reported, fc.nat(100), fc.integer({ min: 1, max: 20 }), (before, now, fromMs, lengthMs) => {
      const toMs = fromMs + lengthMs;
      const all = reportedBetween(before, now, fromMs, toMs);
      expect(all[0]!.fromMs).toBeLessThanOrEqual(fromMs);
      expect(all.at(-1)?.toMs).toBe(toMs);
      for (const [index, { fromMs: nextMs }] of all.slice(1).entries()) expect(nextMs).toBe(all[index]!.toMs);
      const rank = (of: Reported | undefined) => WATCHED_RANK[of?.state ?? 'watched'];
      // It only corrects what was taken for better.
      if (all[0]!.fromMs < fromMs) expect([all.length, all[0]!.state]).toEqual([1, now?.state]);
      // From `toMs` on, it is of no time before.
      if (rank(now) < rank(before) && now?.sinceMs !== toMs) expect(all.at(-1)?.state).toBe(now?.state);
      const since = now?.sinceMs;
      if (now && now.state !== 'watched' && since !== undefined && since <= toMs)
        for (const { state, toMs: endMs } of all)
          if (endMs > Math.max(since, fromMs)) expect(WATCHED_RANK[state]).toBeLessThanOrEqual(rank(now));
    }),
  );
});

test('a stretch is cut where a worse one begins and ends, and never gets better', () => {
  const stretch = fc
    .record({ fromMs: fc.nat(30), lengthMs: fc.integer({ min: 1, max: 30 }), as: fc.constantFrom(...RECEPTION_STATES) })
    .map(({ fromMs, lengthMs, as }) => ({ fromMs, toMs: fromMs + lengthMs, ...WATCHED_AS[as] }));
  fc.assert(
    fc.property(stretch, stretch, (one, worse) => {
      const parts = worsenedStretch(one, worse);
      expect([parts[0]?.fromMs, parts.at(-1)?.toMs]).toEqual([one.fromMs, one.toMs]);
      for (let ms = one.fromMs; ms < one.toMs; ms++) {
        const [part, ...more] = parts.filter(({ fromMs, toMs }) => fromMs <= ms && ms < toMs);
        expect(more).toEqual([]);
        const isWorse = worse.fromMs <= ms && ms < worse.toMs && WATCHED_RANK[worse.state] < WATCHED_RANK[one.state];
        expect(part).toMatchObject(isWorse ? watchOf(worse) : watchOf(one));
      }
    }),
  );
});

function watchOf({ state, reason }: Pick<Reported, 'state' | 'reason'>) {
  return { state, reason };
}
