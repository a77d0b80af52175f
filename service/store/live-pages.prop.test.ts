import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { observation } from '../conformance/listed-source.ts';
import { type LiveEntry, livePage } from './live-pages.ts';

const NOW = upstreamInstant(1e12);

function entry(reference: string, aliveForMs: number): LiveEntry {
  return { reference, observation: observation({ observedAt: NOW }), staleAfter: addMs(NOW, aliveForMs) };
}

const sorted = fc
  .uniqueArray(fc.tuple(fc.stringMatching(/^[0-9A-F]{4}$/), fc.integer({ min: -3, max: 20 })), {
    selector: ([reference]) => reference,
    maxLength: 60,
  })
  .map((pairs) => pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([reference, alive]) => entry(reference, alive)));

function walk(limit: number, pageAt: (number: number) => { entries: readonly LiveEntry[]; now: typeof NOW }): string[] {
  const references: string[] = [];
  let after: string | undefined;
  for (let number = 0; ; number += 1) {
    const { entries, now } = pageAt(number);
    const page = livePage(entries, after, limit, now);
    expect(page.entries.length).toBeLessThanOrEqual(limit);
    references.push(...page.entries.map(({ reference }) => reference));
    if (page.nextAfter === undefined) return references;
    expect(page.entries.length).toBe(limit);
    after = page.nextAfter;
  }
}

test('the pages of an unchanging snapshot are exactly its live entries, once and in order', () => {
  fc.assert(
    fc.property(sorted, fc.integer({ min: 1, max: 10 }), (entries, limit) => {
      const alive = entries.filter(({ staleAfter }) => NOW < staleAfter).map(({ reference }) => reference);
      expect(walk(limit, () => ({ entries, now: NOW }))).toEqual(alive);
    }),
  );
});

test('entries that arrive or expire between pages make no other entry disappear or repeat', () => {
  fc.assert(
    fc.property(sorted, sorted, fc.integer({ min: 1, max: 10 }), (before, arriving, limit) => {
      const known = new Set(before.map(({ reference }) => reference));
      const after = [...before, ...arriving.filter(({ reference }) => !known.has(reference))].toSorted((a, b) =>
        a.reference < b.reference ? -1 : 1,
      );
      const seen = walk(limit, (number) => ({ entries: number === 0 ? before : after, now: addMs(NOW, number) }));
      expect(new Set(seen).size).toBe(seen.length);
      const throughout = before
        .filter(({ staleAfter }) => staleAfter >= addMs(NOW, 20))
        .map(({ reference }) => reference);
      if (seen.length <= 15 * limit) expect(seen).toEqual(expect.arrayContaining(throughout));
    }),
  );
});
