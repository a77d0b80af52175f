import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Layer } from '#lib/contract/operation.ts';
import { wirePositionSchema } from '#lib/contract/wire-position.ts';
import { addMs, epochMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { arbitraryObservations } from '../../past/arbitrary-observation.fixture.ts';
import type { Observation } from '../../sources/observation.ts';
import { wireRecord } from '../../wire/wire-record.ts';
import { namedKeyOf } from './named-keys.fixture.ts';
import { readReadApiPage } from './read-api-page.ts';

const START = upstreamInstant(Date.UTC(2026, 10, 23, 12));
const settings = { feed: 'club', keyOf: namedKeyOf, policy: {} };
const REFERENCE = 'CLUB-A-0123456789ABCDEF';

function pageOf(layer: Layer, data: readonly unknown[], change: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    version: '1',
    request_id: 'one',
    generated_at: formatInstant(addMs(START, 1000)),
    layer,
    mode: 'live',
    data,
    next_cursor: null,
    truncated: false,
    ...change,
  });
}

test('each record of a service is read with what it says, or refused by name', () => {
  fc.assert(
    fc.property(arbitraryObservations(START, 1000), (observations) => {
      for (const layer of ['rid', 'adsb'] as const) {
        const rows = observations.filter((each) => each.layer === layer);
        const page = readReadApiPage(
          pageOf(
            layer,
            rows.map((each) => wireRecord('live', REFERENCE, each)),
          ),
          layer,
          settings,
        )!;
        const read = rows.filter((each) => each.relayedBy === undefined && !(each.lon === 0 && each.lat === 0));
        expect(page.parsed.fixes).toHaveLength(read.length);
        expect(page.parsed.refused).toHaveLength(rows.length - read.length);
        for (const [index, fix] of page.parsed.fixes.entries()) expectSame(fix, read[index]!);
      }
    }),
  );
});

function expectSame(
  fix: NonNullable<ReturnType<typeof readReadApiPage>>['parsed']['fixes'][number],
  from: Observation,
) {
  // JSON has no −0.
  const record = JSON.parse(JSON.stringify(wireRecord('live', REFERENCE, from)));
  expect(fix).toMatchObject({
    layer: from.layer,
    feedTimeMs: epochMs(from.observedAt),
    headingDeg: record.heading_deg,
    testBroadcast: from.testBroadcast,
    emergencyState: record.emergency_state,
    relayed: {
      confidence: record.confidence,
      confidenceScore: record.confidence_score,
      receiverCount: record.receiver_count,
      simulated: from.simulated,
    },
  });
}

test('anything else is no page, or a page without these records: nothing is thrown', () => {
  const valid = wirePositionSchema(undefined);
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 5 }), fc.jsonValue(), (data, other) => {
      const page = readReadApiPage(pageOf('adsb', data, { reception: other, served_by: other }), 'adsb', settings);
      expect(page?.parsed.refused).toHaveLength(data.filter((row) => !valid.safeParse(row).success).length);
      expect(readReadApiPage(JSON.stringify(other), 'adsb', settings)).toBeUndefined();
      expect(readReadApiPage(pageOf('rid', data), 'adsb', settings)).toBeUndefined();
      expect(readReadApiPage(pageOf('adsb', data, { mode: 'history' }), 'adsb', settings)).toBeUndefined();
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(readReadApiPage(bytes, 'adsb', settings)).toBeUndefined();
    }),
  );
});
