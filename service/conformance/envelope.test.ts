import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { envelopeSchema } from '#lib/contract/envelope.ts';
import { pastReceptionSchema, receptionSchema } from '#lib/contract/reception.ts';
import { wirePositionSchema } from '#lib/contract/wire-position.ts';
import { addMs, formatInstant } from '#lib/time/instant.ts';
import { NOTHING_REPORTED } from '../sources/observation.ts';
import {
  BBOX,
  type ConformanceAnswer,
  type ConformanceService,
  START,
  startConformanceService,
} from './conformance-service.ts';
import { listedSource, observation } from './listed-source.ts';

const SEEN_AT = addMs(START, -5_000);

let running: ConformanceService;
beforeAll(async () => {
  running = await startConformanceService({
    source: listedSource([
      observation({ sourceId: 'full', observedAt: SEEN_AT, simulated: true, emergencyState: 'general' }),
      observation({ sourceId: 'bare', observedAt: SEEN_AT, lon: 8.6, ...NOTHING_REPORTED }),
      observation({ sourceId: 'zero', observedAt: SEEN_AT, lon: 8.7, speedMps: 0, headingDeg: 0, altitudeM: 0 }),
      observation({ sourceId: 'drone', layer: 'rid', observedAt: SEEN_AT, testBroadcast: true, ...NOTHING_REPORTED }),
    ]),
  });
});
afterAll(() => running.service.close());

const WINDOW = `start=${formatInstant(addMs(START, -60_000))}&end=${formatInstant(START)}`;
const OPERATIONS = [
  ['live', 'rid', `live/rid?bbox=${BBOX}`],
  ['live', 'adsb', `live/adsb?bbox=${BBOX}`],
  ['history', 'rid', `history/rid?bbox=${BBOX}&${WINDOW}`],
  ['history', 'adsb', `history/adsb?bbox=${BBOX}&${WINDOW}`],
] as const;

function recordAt(answer: ConformanceAnswer, lon: number): Record<string, unknown> {
  return answer.json.data.find((record: { longitude: number }) => record.longitude === lon);
}

describe.each(OPERATIONS)('Response envelope of %s %s', (mode, layer, pathAndQuery) => {
  test('every required field, as the contract types it', async () => {
    const { json, headers } = await running.get(pathAndQuery);
    expect(envelopeSchema.parse(json)).toMatchObject({
      version: '1',
      request_id: headers['x-request-id'],
      generated_at: formatInstant(START),
      layer,
      mode,
    });
  });

  test('history has a null next_cursor and a continuation hint to split; live has no hint', async () => {
    const { json } = await running.get(pathAndQuery);
    expect(json.next_cursor).toBeNull();
    expect(json.truncated).toBe(false);
    if (mode === 'history') expect(json.continuation).toMatch(/smaller half-open windows.*smaller bounds/s);
    else expect(json).not.toHaveProperty('continuation');
  });

  test('an empty array is still a successful response', async () => {
    const { status, json } = await running.get(pathAndQuery.replace(BBOX, '-60,-40,-59,-39'));
    expect([status, json.data]).toEqual([200, []]);
  });

  test('Response headers (200): X-Request-ID, and both allowances as integers', async () => {
    const { headers } = await running.get(pathAndQuery);
    expect(headers['x-request-id']).toMatch(/^[\w-]{8,64}$/);
    expect(headers['x-ratelimit-remaining']).toMatch(/^\d+$/);
    expect(headers['x-dailylimit-remaining']).toMatch(/^\d+$/);
  });

  test('answers are JSON, not cacheable, and protected from content sniffing', async () => {
    const { headers } = await running.get(pathAndQuery);
    expect(headers['content-type']).toBe('application/json');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  test('Position: every record has every required field and no identifier of the source', async () => {
    const { json, text } = await running.get(pathAndQuery);
    expect(json.data.length).toBe(layer === 'adsb' ? 3 : 1);
    for (const record of json.data) wirePositionSchema('TST').parse(record);
    for (const id of ['full', 'bare', 'zero']) expect(text).not.toContain(`"${id}"`);
  });

  test('Position: only live records have stale_after', async () => {
    const { json } = await running.get(pathAndQuery);
    const ttlMs = layer === 'adsb' ? 60_000 : 45_000;
    for (const record of json.data) {
      if (mode === 'live') expect(record.stale_after).toBe(formatInstant(addMs(SEEN_AT, ttlMs)));
      else expect(record).not.toHaveProperty('stale_after');
    }
  });

  test('Position: the letter of the reference and track_kind follow the layer', async () => {
    const { json } = await running.get(pathAndQuery);
    for (const record of json.data) {
      expect(record.track_kind).toBe(layer === 'adsb' ? 'adsb_aircraft' : 'drone');
      expect(record.public_track_id).toMatch(layer === 'adsb' ? /^TST-A-[0-9A-F]{16}$/ : /^TST-D-[0-9A-F]{16}$/);
    }
  });
});

describe('Position', () => {
  test('received values are passed on unchanged', async () => {
    expect(recordAt(await running.get(`live/adsb?bbox=${BBOX}`), 8.5)).toMatchObject({
      observed_at: formatInstant(SEEN_AT),
      latitude: 47.4,
      altitude_m: 1200.5,
      height_agl_m: 700,
      speed_mps: 80.25,
      heading_deg: 271.5,
      confidence: 'multi_station',
      confidence_score: 0.75,
      receiver_count: 3,
      simulated: true,
      test_broadcast: false,
      emergency_state: 'general',
    });
  });

  test('unknown values are null, never zero', async () => {
    for (const pathAndQuery of [`history/adsb?bbox=${BBOX}&${WINDOW}`, `live/adsb?bbox=${BBOX}`]) {
      const bare = recordAt(await running.get(pathAndQuery), 8.6);
      expect([bare.altitude_m, bare.height_agl_m, bare.speed_mps, bare.heading_deg]).toEqual([null, null, null, null]);
      expect([bare.confidence, bare.confidence_score, bare.receiver_count]).toEqual([null, null, null]);
    }
  });

  test('a measured zero stays zero', async () => {
    const zero = recordAt(await running.get(`live/adsb?bbox=${BBOX}`), 8.7);
    expect([zero.altitude_m, zero.speed_mps, zero.heading_deg]).toEqual([0, 0, 0]);
  });

  test('emergency_state: unreported is "unknown" in live ADS-B and null elsewhere', async () => {
    expect(recordAt(await running.get(`live/adsb?bbox=${BBOX}`), 8.6).emergency_state).toBe('unknown');
    expect(recordAt(await running.get(`history/adsb?bbox=${BBOX}&${WINDOW}`), 8.6).emergency_state).toBeNull();
    expect(recordAt(await running.get(`live/rid?bbox=${BBOX}`), 8.5).emergency_state).toBeNull();
  });

  test('simulated data and recognised TEST broadcasts are flagged', async () => {
    const drone = recordAt(await running.get(`live/rid?bbox=${BBOX}`), 8.5);
    expect([drone.simulated, drone.test_broadcast]).toEqual([false, true]);
  });

  test('an observation has the same reference in live and in history', async () => {
    const live = recordAt(await running.get(`live/adsb?bbox=${BBOX}`), 8.5);
    const history = recordAt(await running.get(`history/adsb?bbox=${BBOX}&${WINDOW}`), 8.5);
    expect(live.public_track_id).toBe(history.public_track_id);
  });
});

describe('Additional properties may appear', () => {
  test('a source without receivers adds no reception', async () => {
    for (const [, , pathAndQuery] of OPERATIONS) {
      expect((await running.get(pathAndQuery)).json).not.toHaveProperty('reception');
    }
  });

  test('a source with receivers adds it, and nothing else changes', async () => {
    const source = listedSource([observation({ observedAt: SEEN_AT })]);
    const { service, get } = await startConformanceService({
      source: {
        ...source,
        reception: () => ({ state: 'none', since: undefined, receivers: 0, receiving: 0 }),
        pastReception: (_layer, _bbox, { start, end }) => [{ from: start, to: end, state: 'partly' }],
      },
    });
    try {
      for (const [mode, layer, pathAndQuery] of OPERATIONS) {
        const { json } = await get(pathAndQuery);
        const { reception, ...rest } = envelopeSchema.parse(json);
        expect(rest).toMatchObject({ mode, layer, truncated: false, next_cursor: null });
        if (mode === 'live') {
          expect(receptionSchema.parse(reception)).toEqual({ state: 'none', since: null, receivers: 0, receiving: 0 });
        } else {
          const from = formatInstant(addMs(START, -60_000));
          expect(pastReceptionSchema.parse(reception)).toEqual({
            stretches: [{ from, to: formatInstant(START), state: 'partly' }],
          });
        }
      }
    } finally {
      await service.close();
    }
  });
});

test('every request has a request id of its own', async () => {
  const ids = await Promise.all(
    Array.from({ length: 20 }, async () => (await running.get(`live/rid?bbox=${BBOX}`)).headers['x-request-id']),
  );
  expect(new Set(ids).size).toBe(20);
});
