import { describe, expect, test } from 'vitest';
import type { Bbox } from '#lib/geo/bbox.ts';
import { refusalIn } from '#lib/server/routes/signed-in-routes.fixture.ts';
import { addMs } from '#lib/time/instant.ts';
import { OUTPUTS_AT, servedOutputs } from '#testing/served-outputs.ts';

const ALPS: Bbox = { west: 5, south: 44, east: 15, north: 48 };
const FEED = '/api/feeds/aircraft.json';
const references = (document: { aircraft: { public_track_id: string }[] }) =>
  document.aircraft.map((each) => each.public_track_id);

describe('/api/feeds', () => {
  test('answers tar1090 with what is watched now, by header and by path', async () => {
    const outputs = await servedOutputs();
    outputs.receive('adsb', ALPS, [{ ref: 'a', altitudeM: 1000 }]);
    outputs.receive('rid', ALPS, [{ ref: 'd', kind: 'drone', simulated: true }]);
    const secret = await outputs.token();
    const answer = await outputs.get(FEED, secret);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const document = await answer.json();
    expect(document).toMatchObject({
      now: 1795780800,
      messages: 2,
      note: expect.stringContaining('does not mean that nothing is there'),
      watched: ['rid', 'adsb'].map((layer) => ({
        layer,
        bbox: [5, 44, 15, 48],
        read_at: '2026-11-27T11:59:55.000Z',
        incomplete: null,
      })),
      aircraft: [
        { public_track_id: 'd', category: 'B6', flight: 'SIM d', simulated: true, seen_pos: 5 },
        { public_track_id: 'a', altitude_m: 1000, simulated: false },
      ],
    });
    expect(document.aircraft[1]).not.toHaveProperty('alt_geom');
    expect(await (await outputs.get(`/api/feeds/${secret}/data/aircraft.json?v=1`)).json()).toEqual(document);
    expect((await outputs.get(`/api/feeds/${secret}/aircraft.json`)).status).toBe(200);
    expect((await outputs.get(`/api/feeds/${secret}/data/stats.json`)).status).toBe(404);
    for (const path of [`/api/feeds/${secret}/data/receiver.json`, '/api/feeds/receiver.json'])
      expect(await (await outputs.get(path, secret)).json()).toEqual({ version: 'Lookout', refresh: 1000, history: 0 });
  });

  test('asks for reads no oftener than half of what the token may', async () => {
    const outputs = await servedOutputs();
    const refreshOf = async (requests_a_minute: number) =>
      (await (await outputs.get('/api/feeds/receiver.json', await outputs.token({ requests_a_minute }))).json())
        .refresh;
    expect(await refreshOf(1200)).toBe(1000);
    expect(await refreshOf(30)).toBe(4000);
    expect(await refreshOf(7)).toBe(17_143);
  });

  test('lists apart the boxes where no receiver delivers, with the reason and since when', async () => {
    const outputs = await servedOutputs();
    const since = addMs(OUTPUTS_AT, -60_000);
    const read = { bbox: [5, 44, 15, 48], read_at: '2026-11-27T11:59:55.000Z' };
    const counts = { receivers: 3, receiving: 0 };
    outputs.receive('adsb', ALPS, [{ ref: 'a' }], { state: 'lost', since, ...counts });
    outputs.receive('rid', ALPS, [], { state: 'none', since: undefined, ...counts });
    const secret = await outputs.token();
    const lost = { layer: 'adsb', ...read, reason: 'receivers_lost', since: '2026-11-27T11:59:00.000Z' };
    const none = { layer: 'rid', ...read, reason: 'not_equipped', since: null };
    const document = await (await outputs.get(FEED, secret)).json();
    expect(document).toMatchObject({ watched: [], not_watched: [none, lost] });
    expect(references(document), 'its positions age').toEqual(['a']);
    outputs.receive('rid', ALPS, [], { state: 'ok', since: undefined, ...counts });
    outputs.receive('adsb', ALPS, [], { state: 'partly', since, ...counts });
    expect(await (await outputs.get(FEED, secret)).json()).toMatchObject({
      watched: [
        { layer: 'rid', ...read, incomplete: null },
        { layer: 'adsb', ...read, incomplete: 'receivers_partly' },
      ],
      not_watched: [],
    });
  });

  test('counts each position once that was read since the start, for programs that require `messages`', async () => {
    const outputs = await servedOutputs();
    const token = await outputs.token();
    const messages = async () => (await (await outputs.get(FEED, token)).json()).messages;
    expect(await messages()).toBe(0);
    const at = (seconds: number) => addMs(OUTPUTS_AT, 1000 * seconds);
    outputs.receive('adsb', ALPS, [
      { ref: 'a', observedAt: at(-9) },
      { ref: 'b', observedAt: at(-9) },
    ]);
    outputs.receive('adsb', ALPS, [
      { ref: 'a', observedAt: at(-9) },
      { ref: 'b', observedAt: at(-4) },
    ]);
    outputs.receive('adsb', ALPS, []);
    expect(await messages()).toBe(3);
  });

  test('serves nothing outside the area of a token, also across 180°', async () => {
    const outputs = await servedOutputs();
    const [east, west] = [
      { west: 170, south: 0, east: 180, north: 10 },
      { west: -180, south: 0, east: -170, north: 10 },
    ];
    outputs.receive('adsb', east, [
      { ref: 'e', lon: 179, lat: 5 },
      { ref: 'out', lon: 171, lat: 5 },
    ]);
    outputs.receive('adsb', west, [{ ref: 'w', lon: -179, lat: 5 }]);
    const document = await (await outputs.get(FEED, await outputs.token({ area: [175, 0, -175, 10] }))).json();
    expect(new Set(references(document))).toEqual(new Set(['e', 'w']));
    expect(document.watched.map(({ bbox }: { bbox: number[] }) => bbox)).toEqual([
      [175, 0, 180, 10],
      [-180, 0, -175, 10],
    ]);
  });

  test('drops positions when the map does, and repeats none of an older read', async () => {
    const outputs = await servedOutputs();
    const at = (seconds: number) => addMs(OUTPUTS_AT, -1000 * seconds);
    outputs.receive('adsb', ALPS, [
      { ref: 'old', observedAt: at(121) },
      { ref: 'ageing', observedAt: at(119) },
      { ref: 'stale', observedAt: at(100), staleAfter: at(61) },
    ]);
    expect(references(await (await outputs.get(FEED, await outputs.token())).json())).toEqual(['ageing']);
  });

  test('is off without tokens, and refuses wrong ones, other scopes, sessions and tokens in the query', async () => {
    const outputs = await servedOutputs();
    expect(await refusalIn(await outputs.get(FEED, 'x'))).toEqual([404, 'not_found']);
    const features = await outputs.token({ scopes: ['features'] });
    const secret = await outputs.token();
    expect(await refusalIn(await outputs.get(FEED, features))).toEqual([403, 'not_permitted']);
    for (const path of [
      FEED,
      `${FEED}?token=${secret}`,
      `${FEED}?access_token=${secret}`,
      '/api/feeds/%00/data/aircraft.json',
      '/api/feeds/%ff/data/aircraft.json',
    ])
      expect(await refusalIn(await outputs.get(path))).toEqual([401, 'not_signed_in']);
    expect(await refusalIn(await outputs.get(FEED, `${secret}\t${secret}`))).toEqual([401, 'not_signed_in']);
  });

  test('logs no token, not even a mistyped one', async () => {
    const outputs = await servedOutputs();
    const secret = await outputs.token();
    await outputs.get(`/api/feeds/${secret}/data/aircraft.json`);
    await outputs.get(`/api/feeds/${secret.slice(3)}/data/aircraft.json`);
    await outputs.get(FEED, secret);
    await outputs.get(`/api/features/collections/${secret}`, secret);
    await outputs.get(`/api/features/collections/${secret.replace('o', '%6f')}`, secret);
    await outputs.get(`/api/features/collections/${secret.replace('lookout', 'LOOKOUT')}`, secret);
    expect(outputs.logged).toHaveLength(6);
    expect(outputs.logged.join('')).toContain('/api/feeds/TOKEN/data/aircraft.json');
    expect(outputs.logged.join('')).not.toContain(secret.slice(10));
  });

  test('answers 10,000 tracks at once, each with an address of its own', async () => {
    const outputs = await servedOutputs();
    const reference = (number: number) => `RX-A-${number.toString(16).toUpperCase().padStart(16, '0')}`;
    const tracks = Array.from({ length: 10_000 }, (_, number) => ({
      ref: reference(number),
      lon: 5 + number / 1000,
      altitudeM: number,
      speedMps: 100,
      headingDeg: 90,
    }));
    outputs.receive('adsb', ALPS, tracks);
    const { aircraft } = await (await outputs.get(FEED, await outputs.token({ altitude_as: 'alt_baro' }))).json();
    expect(new Set(aircraft.map(({ hex }: { hex: string }) => hex)).size).toBe(10_000);
  });
});
