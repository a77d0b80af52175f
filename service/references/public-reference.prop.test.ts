import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LAYERS } from '#lib/contract/operation.ts';
import { publicReferencePattern } from '#lib/contract/public-reference.ts';
import { addMs, epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { cacheReferences, publicReference, REFERENCE_PERIOD_MS, rotationPhaseMs } from './public-reference.ts';

const settings = { secret: Buffer.from('a secret of the tests'), prefix: 'TST', periodMs: REFERENCE_PERIOD_MS };

const instant = fc.integer({ min: 0, max: 4e12 }).map(upstreamInstant);
const layer = fc.constantFrom(...LAYERS);
const sourceId = fc.string({ maxLength: 40 });

describe('publicReference', () => {
  test('has the form of the contract, with the letter of its layer', () => {
    fc.assert(
      fc.property(sourceId, layer, instant, (id, layer, at) => {
        const reference = publicReference(settings, id, layer, at);
        expect(reference).toMatch(publicReferencePattern('TST'));
        expect(reference.split('-')[1]).toBe(layer === 'adsb' ? 'A' : 'D');
      }),
    );
  });

  test('stays the same within a period, and changes in the next', () => {
    fc.assert(
      fc.property(sourceId, layer, instant, fc.nat(REFERENCE_PERIOD_MS - 1), (id, layer, at, offsetMs) => {
        const intoPeriodMs = (epochMs(at) + rotationPhaseMs(settings, id, layer)) % REFERENCE_PERIOD_MS;
        const periodStart = addMs(at, -intoPeriodMs);
        const reference = publicReference(settings, id, layer, at);
        expect(publicReference(settings, id, layer, addMs(periodStart, offsetMs))).toBe(reference);
        expect(publicReference(settings, id, layer, addMs(periodStart, REFERENCE_PERIOD_MS))).not.toBe(reference);
        expect(publicReference(settings, id, layer, addMs(periodStart, -1))).not.toBe(reference);
      }),
    );
  });

  test('the same id has unrelated references in the two layers and under two secrets', () => {
    const at = upstreamInstant(1e12);
    const handle = (reference: string) => reference.slice(-16);
    const other = { ...settings, secret: Buffer.from('another secret') };
    expect(handle(publicReference(settings, 'a1b2c3', 'rid', at))).not.toBe(
      handle(publicReference(settings, 'a1b2c3', 'adsb', at)),
    );
    expect(publicReference(settings, 'a1b2c3', 'rid', at)).not.toBe(publicReference(other, 'a1b2c3', 'rid', at));
  });

  test('20,000 ids have 20,000 references', () => {
    const at = upstreamInstant(1.7e12);
    const references = Array.from({ length: 20_000 }, (_, index) =>
      publicReference(settings, `id-${index}`, 'adsb', at),
    );
    expect(new Set(references).size).toBe(20_000);
  });

  test('references change at different times: less than a hundredth of them in any minute of a period', () => {
    const minutes = new Map<number, number>();
    for (let index = 0; index < 5_000; index += 1) {
      const minute = Math.floor(rotationPhaseMs(settings, `id-${index}`, 'adsb') / 60_000);
      minutes.set(minute, (minutes.get(minute) ?? 0) + 1);
    }
    expect(Math.max(...minutes.values())).toBeLessThan(50);
  });
});

test('the size of the cache changes no reference', () => {
  const smallIds = fc.integer({ min: 0, max: 12 }).map(String);
  const times = fc.integer({ min: 0, max: 40 }).map((hours) => upstreamInstant(1e12 + hours * 3_600_000));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(fc.tuple(smallIds, layer, times)), (capacity, lookups) => {
      const referenceOf = cacheReferences(settings, capacity);
      for (const [id, layer, at] of lookups) {
        expect(referenceOf(id, layer, at)).toBe(publicReference(settings, id, layer, at));
      }
    }),
  );
});
