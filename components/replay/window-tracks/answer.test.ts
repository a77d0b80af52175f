import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { RECEPTIONS } from '#lib/api/layer-reason.ts';
import { replayLayer } from '#lib/client/replay/replay-layer.fixture.ts';
import type { MinuteState, ReplayGap, ReplaySummary } from '#lib/client/replay/replay-summary.ts';
import type { KindInWindow, WindowTrack, WindowTracks } from '#lib/client/replay/window-tracks/window-tracks.ts';
import { NO_FILTER, type TrackFilter } from '#lib/filter/track-filter.ts';
import type { Area } from '#lib/geo/area.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type AnswerOptions, type AreaAnswer, areaAnswer } from './answer.ts';
import { answerCsv, answerFileName } from './answer-dialog.tsx';

const START = upstreamInstant(Date.UTC(2026, 10, 21, 14, 5));
const HANDED_ON = {
  where: '1.20 km around LSZH 14/32',
  note: ' two drones,\nreported by the tower ',
  link: 'https://lookout.example/',
  reception: ['No drone was received.'],
};
const WINDOW = { start: START, end: addMs(START, 15 * MINUTE_MS) };
const RUNWAY: Area = { kind: 'circle', centre: { lon: 8.55, lat: 47.46 }, radiusM: 1200 };
const LOADED = { west: 8, south: 47, east: 9, north: 48 };
const TERMS = { choice: undefined, area: undefined, maxRequests: 10 };
const DONE = { kind: 'done', terms: TERMS } as const;
const NONE: KindInWindow = {
  received: 0,
  tracks: [],
  crossings: [],
  nearestOutside: undefined,
  histogram: new Uint32Array(180),
};

const [LOST, PARTLY, NOT_EQUIPPED] = [
  RECEPTIONS.receivers_lost,
  RECEPTIONS.receivers_partly,
  RECEPTIONS.not_equipped,
].map(({ past }) => `${past[0]?.toUpperCase()}${past.slice(1)}`);
const minutes = (state: MinuteState) => Array<MinuteState>(15).fill(state);
const track = (ref: string, change: Partial<WindowTrack> = {}): WindowTrack => ({
  ref,
  kind: 'drone',
  simulated: false,
  testBroadcast: false,
  positions: 12,
  first: addMs(START, 60_000),
  last: addMs(START, 120_000),
  heightAglM: { lowest: 0, highest: 118.4 },
  altitudeM: undefined,
  nearest: undefined,
  ...change,
});

interface Asked {
  readonly tracks?: Partial<WindowTracks>;
  readonly filter?: Partial<TrackFilter>;
  readonly replay?: Partial<ReplaySummary>;
  readonly rid?: Parameters<typeof replayLayer>[1];
  readonly options?: Partial<AnswerOptions>;
}

function answer({ tracks, filter, replay, rid, options }: Asked = {}): AreaAnswer {
  return areaAnswer({
    tracks: { drone: NONE, aircraft: NONE, ...tracks },
    replay: {
      playback: { window: WINDOW, cursor: START, state: 'paused', speed: 1, loop: false },
      loading: DONE,
      area: LOADED,
      layers: {
        rid: replayLayer('rid', { minutes: minutes('complete'), ...rid }),
        adsb: replayLayer('adsb', { on: false }),
      },
      ...replay,
    },
    filter: { ...NO_FILTER, inside: RUNWAY, kind: 'drone', ...filter },
    visible: LOADED,
    filterWords: ['Drones only'],
    placeWords: 'In a circle of radius 1.20 km',
    markedPlace: undefined,
    madeAt: addMs(WINDOW.end, 600_000),
    operator: 'ada',
    mayLoad: true,
    units: 'metric',
    zone: 'utc',
    ...options,
  });
}

const gap = (change: Partial<ReplayGap> = {}): ReplayGap => ({
  bbox: LOADED,
  start: addMs(START, 2 * MINUTE_MS),
  end: addMs(START, 4 * MINUTE_MS),
  reason: 'too_dense',
  ...change,
});

describe('the verdict', () => {
  test('is no only if the whole question is loaded, and adds the nearest position', () => {
    const nearestOutside = { ref: 'RX-D-00000000000EB8F7', distanceM: 120.4, at: addMs(START, 363_000) };
    const [verdict] = answer({ tracks: { drone: { ...NONE, received: 1, nearestOutside } } }).verdicts;
    expect(verdict).toEqual({
      kind: 'drone',
      answer: 'no',
      headline: 'No drone position received inside.',
      details: ['Nearest received position: 120 m away, EB8F7 at 14:11:03Z.'],
    });
    expect(answer().verdicts[0]?.details).toEqual(['No drone was received in the loaded area.']);
  });

  test('is yes with the tracks, real and simulated ones apart', () => {
    const drone = { ...NONE, received: 3, tracks: [track('A'), track('B'), track('C', { simulated: true })] };
    expect(answer({ tracks: { drone } }).verdicts).toMatchObject([
      { answer: 'yes', headline: 'Drones received inside: 2 · 1 simulated.', details: [] },
    ]);
  });

  test('is open where a track may have crossed, or something is not loaded', () => {
    const crossing = {
      ref: 'A',
      kind: 'drone',
      simulated: false,
      testBroadcast: false,
      from: START,
      to: addMs(START, 9000),
    } as const;
    const [crossed] = answer({ tracks: { drone: { ...NONE, received: 1, crossings: [crossing] } } }).verdicts;
    expect(crossed?.answer).toBe('open');
    expect(crossed?.details[0]).toBe('Not known: 1 drone may have crossed between two received positions.');
    for (const asked of [
      { rid: { gaps: [gap()] } },
      { rid: { unreadable: 2 } },
      { replay: { loading: { kind: 'quoting' } }, rid: { minutes: minutes('not-requested') } },
      { replay: { area: { ...LOADED, east: 8.555 } } },
    ] satisfies Asked[]) {
      const [verdict] = answer(asked).verdicts;
      expect(verdict?.answer).toBe('open');
      expect(verdict?.headline).toBe('No drone position received inside, in what is loaded.');
      expect(verdict?.details).toContain('Not everything is loaded.');
    }
  });

  test('over a time without receivers is open, and names its share of the window', () => {
    const night = gap({ reason: 'receivers_lost', start: addMs(START, -MINUTE_MS), end: addMs(START, 9 * MINUTE_MS) });
    const [verdict] = answer({ rid: { reception: [night] } }).verdicts;
    expect(verdict).toMatchObject({
      answer: 'open',
      headline: 'No drone position received inside, but receivers were missing.',
    });
    expect(verdict?.details[0]).toBe(`${LOST} for 9 min of 15 min: 14:05:00Z–14:14:00Z.`);
    const [partly] = answer({ rid: { reception: [{ ...night, reason: 'receivers_partly' }] } }).verdicts;
    expect(partly?.answer).toBe('open');
    expect(partly?.details[0]).toContain(`${PARTLY} for 9 min of 15 min`);
    const [none] = answer({ rid: { reception: [{ ...night, reason: 'not_equipped', end: WINDOW.end }] } }).verdicts;
    expect(none?.details[0]).toContain(`${NOT_EQUIPPED} for 15 min of 15 min`);
    const drone = { ...NONE, received: 1, tracks: [track('A')] };
    const [found] = answer({ tracks: { drone }, rid: { reception: [night] } }).verdicts;
    expect(found).toMatchObject({ answer: 'yes', headline: 'Drones received inside: 1 or more.' });
    expect(found?.details[0]).toContain(`${LOST} for 9 min`);
    const [both] = answer({ rid: { reception: [night], gaps: [gap()] } }).verdicts;
    expect(both?.headline).toBe('No drone position received inside, in what is loaded.');
    expect(both?.details.slice(0, 2)).toEqual(['Not everything is loaded.', verdict?.details[0]]);
  });

  test('of a layer that is off is that it was not asked', () => {
    const both = answer({ filter: { kind: undefined } }).verdicts;
    expect(both.map(({ kind, answer: given }) => [kind, given])).toEqual([
      ['drone', 'no'],
      ['aircraft', 'not-asked'],
    ]);
    expect(both[1]?.headline).toBe('Aircraft: not asked, the layer is off.');
  });
});

describe('what was complete', () => {
  const sentence = (asked: Asked) => answer(asked).completeness.layers[0]?.sentence;

  test('names each missing stretch once, with its reason', () => {
    const halves = [
      gap(),
      gap({ bbox: { ...LOADED, west: 8.5 } }),
      gap({ start: addMs(START, 4 * MINUTE_MS), end: WINDOW.end }),
    ];
    expect(sentence({ rid: { gaps: halves } })).toMatch(/^Drones: incomplete: 14:07:00Z–14:20:00Z more positions/);
    expect(sentence({})).toBe('Drones: complete.');
    expect(sentence({ rid: { unreadable: 2 } })).toBe(
      'Drones: complete. Records that could not be read and are left out: 2.',
    );
  });

  test('says from when to when receivers were missing; all of it is loaded', () => {
    const night = gap({ reason: 'receivers_lost' });
    const twice = [night, gap({ reason: 'receivers_lost', start: addMs(START, 8 * MINUTE_MS), end: WINDOW.end })];
    expect(sentence({ rid: { reception: twice } })).toBe(
      `Drones: loaded. ${LOST} for 9 min of 15 min: 14:07:00Z–14:09:00Z, 14:13:00Z–14:20:00Z.`,
    );
    expect(sentence({ rid: { reception: [night], gaps: [gap({ end: addMs(START, 3 * MINUTE_MS) })] } })).toMatch(
      new RegExp(`^Drones: incomplete: 14:07:00Z–14:08:00Z more .*\\. ${LOST} for 2 min of 15 min: `),
    );
    const elsewhere = { ...night, bbox: { ...LOADED, east: 8.2 } };
    expect(sentence({ rid: { reception: [elsewhere] } })).toBe('Drones: complete.');
    // A box of several: elsewhere in the area, a receiver worked.
    expect(sentence({ rid: { reception: [elsewhere] }, filter: { inside: undefined } })).toMatch(
      new RegExp(`^Drones: loaded\\. ${PARTLY} for 2 min of 15 min: `),
    );
    const lost = [
      ...minutes('complete').slice(0, 2),
      'receivers_lost',
      'receivers_lost',
      ...minutes('complete').slice(4),
    ];
    const halves = [elsewhere, { ...night, bbox: { ...LOADED, west: 8.2 } }];
    expect(
      sentence({ rid: { reception: halves, minutes: lost as MinuteState[] }, filter: { inside: undefined } }),
    ).toMatch(new RegExp(`^Drones: loaded\\. ${LOST} for 2 min of 15 min: [^,]+$`));
  });

  test('says it by the minute while a load runs, and not a hundred times', () => {
    const running = { loading: { kind: 'loading', terms: TERMS } } as const;
    const lost = [...minutes('complete').slice(0, 10), ...Array<MinuteState>(5).fill('receivers_lost')];
    expect(sentence({ rid: { minutes: lost }, replay: running })).toBe(
      `Drones: loaded. ${LOST} for 5 min of 15 min: 14:15:00Z–14:20:00Z.`,
    );
    const flapping = Array.from({ length: 100 }, (_, index) =>
      gap({ reason: 'receivers_lost', start: addMs(START, index * 6000), end: addMs(START, index * 6000 + 3000) }),
    );
    expect(sentence({ rid: { reception: flapping } })).toMatch(/5 min of 15 min: .+ and 96 more times\.$/);
  });

  test('leaves out gaps elsewhere and before the window', () => {
    const elsewhere = gap({ bbox: { ...LOADED, east: 8.2 } });
    const before = gap({ start: addMs(START, -MINUTE_MS), end: START });
    expect(sentence({ rid: { gaps: [elsewhere, before] } })).toBe('Drones: complete.');
    expect(sentence({ rid: { gaps: [elsewhere] }, filter: { inside: undefined } })).toMatch(/incomplete/);
  });

  test('counts minutes that are not loaded while a load runs', () => {
    const half = [...minutes('complete').slice(0, 10), ...Array<MinuteState>(5).fill('loading')];
    const running = { loading: { kind: 'loading', terms: TERMS } } as const;
    expect(sentence({ rid: { minutes: half }, replay: running })).toBe(
      'Drones: incomplete: 14:15:00Z–14:20:00Z loading.',
    );
  });
});

describe('the file', () => {
  const rows = (given: AreaAnswer) => parse(answerCsv(given, HANDED_ON), { columns: true }) as Record<string, string>[];

  test('has question, answer, completeness, tracks and notice; what was not reported is empty and 0 is 0', () => {
    const nearest = { ref: 'A', distanceM: 88.7, at: addMs(START, 90_000) };
    const drone = {
      ...NONE,
      received: 2,
      tracks: [track('RX-D-1', { nearest }), track('RX-D-2', { heightAglM: undefined, testBroadcast: true })],
    };
    const given = rows(answer({ tracks: { drone }, rid: { gaps: [gap()] }, options: { markedPlace: 'LSZH' } }));
    expect(given.map(({ row }) => row)).toEqual([
      'question',
      'question',
      'question',
      'question',
      'answer',
      'layer',
      'gap',
      'layer',
      'reception',
      'track',
      'track',
      'note',
      'notice',
      'link',
    ]);
    expect(given[0]?.text).toBe('1.20 km around LSZH 14/32');
    expect(given[11]?.text).toBe('two drones,\nreported by the tower');
    expect(given[2]?.text).toBe('In a circle of radius 1.20 km: circle,8.55,47.46,1200m');
    expect(given[6]).toMatchObject({ start: '2026-11-21T14:07:00.000Z', complete: 'false' });
    expect(given[9]).toMatchObject({
      reference: 'RX-D-1',
      lowest_height_agl_m: '0',
      highest_height_agl_m: '118.4',
      lowest_altitude_m: '',
      nearest_m: '89',
      test_broadcast: 'false',
    });
    expect(given[10]).toMatchObject({ lowest_height_agl_m: '', nearest_m: '', test_broadcast: 'true' });
    expect(answerFileName(answer())).toBe('lookout-incident-20261121T1405.csv');
  });

  test('has a row for each time without receivers, of a layer that is not complete', () => {
    const given = rows(answer({ rid: { reception: [gap({ reason: 'receivers_lost' })] } }));
    expect(given.find(({ row }) => row === 'layer')?.complete).toBe('false');
    expect(given.filter(({ row }) => row === 'gap')).toEqual([
      expect.objectContaining({
        start: '2026-11-21T14:07:00.000Z',
        end: '2026-11-21T14:09:00.000Z',
        text: RECEPTIONS.receivers_lost.past,
      }),
    ]);
  });

  test('says that nothing was received, and runs no formula', () => {
    const given = rows(answer({ options: { filterWords: ['=1+1'] } }));
    expect(given.find(({ row }) => row === 'answer')?.text).toMatch(/^No drone position received inside\./);
    const hostile = rows(answer({ tracks: { drone: { ...NONE, received: 1, tracks: [track('=cmd|x')] } } }));
    expect(hostile.find(({ row }) => row === 'track')?.reference).toBe("'=cmd|x");
  });
});
