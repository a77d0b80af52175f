import { check } from '@placemarkio/check-geojson';
import { kml } from '@tmcw/togeojson';
import { DOMParser } from '@xmldom/xmldom';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { wirePositionSchema } from '#lib/contract/wire-position.ts';
import { ask, expectRefusal } from '#testing/api-requests.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';
import { alignedWindow } from '#testing/past-window.ts';

const AREA = '7.5,46.5,8.5,47.5';

const historySchema = z.object({ data: z.array(wirePositionSchema(undefined)) });

/** In slices of ten seconds, so that no answer is truncated. */
async function storedByService({ baseUrl, apiKey }: LookoutHere['service'], query: string) {
  const parameters = new URLSearchParams(query);
  const [startMs, endMs] = ['start', 'end'].map((name) => Date.parse(parameters.get(name) as string)) as [
    number,
    number,
  ];
  const stored = [];
  for (let ms = startMs; ms < endMs; ms += 10_000) {
    const slice = new URLSearchParams({
      bbox: AREA,
      start: new Date(ms).toISOString(),
      end: new Date(ms + 10_000).toISOString(),
    });
    for (const operation of ['rid', 'adsb']) {
      const headers = { authorization: `Bearer ${apiKey}` };
      const answer = await ask(`${baseUrl}/history/${operation}?${slice}`, { headers });
      stored.push(...historySchema.parse(answer.json()).data);
    }
  }
  return stored;
}

type Stored = Awaited<ReturnType<typeof storedByService>>;
const keyOf = (each: { public_track_id: string; observed_at: string }) =>
  `${each.public_track_id} ${Date.parse(each.observed_at)}`;
const byKey = <T extends { public_track_id: string; observed_at: string }>(records: readonly T[]) =>
  new Map(records.map((each) => [keyOf(each), each]));

const ROUNDED = {
  altitude_m: 0.0051,
  height_agl_m: 0.0051,
  speed_mps: 0.0051,
  heading_deg: 0.05,
  longitude: 1e-6,
  latitude: 1e-6,
};
const EXACT = ['track_kind', 'confidence', 'receiver_count', 'emergency_state', 'simulated', 'test_broadcast'] as const;

function differences(
  exported: Readonly<Record<string, unknown>> | undefined,
  stored: Stored[number],
): readonly string[] {
  if (!exported) return ['missing'];
  const numbers = (Object.keys(ROUNDED) as (keyof typeof ROUNDED)[]).filter((name) => {
    if (stored[name] === null || exported[name] === null) return stored[name] !== exported[name];
    return !(Math.abs(Number(exported[name]) - stored[name]) <= ROUNDED[name]);
  });
  return [...numbers, ...EXACT.filter((name) => exported[name] !== stored[name])];
}

const cell = (text: string | undefined) => (text === '' || text === undefined ? null : text);

describe('An export holds what the service holds, record by record', () => {
  const query = `bbox=${AREA}&${alignedWindow(2)}`;
  let lookout: LookoutHere;
  let stored: Stored;
  let maximum: number;
  const get = (format: string, more = '') => ask(`${lookout.url}/api/export?format=${format}&${query}${more}`);

  beforeAll(async () => {
    lookout = await startLookoutHere();
    stored = await storedByService(lookout.service, query);
    expect(stored.length).toBeGreaterThan(100);
    maximum = (await ask(`${lookout.url}/api/history/cost?${query}`)).json().middle.max_requests;
    lookout.service.forgetRequests();
  });
  afterAll(() => lookout.stop());

  test('in CSV, and a past window costs what it was quoted', async () => {
    const answer = await get('csv', `&max_requests=${maximum}`);
    expect(answer.headers).toMatchObject({ 'content-type': expect.stringContaining('text/csv') });
    expect(answer.headers['content-disposition']).toMatch(
      /^attachment; filename="lookout-rid-adsb-\d{8}T\d{6}Z\.csv"$/,
    );
    expect(lookout.service.requests().length).toBeLessThanOrEqual(maximum);
    const rows = parse<Record<string, string>>(answer.text, { columns: true, record_delimiter: '\r\n' });
    const positions = rows.filter(({ row }) => row === 'position') as unknown as Stored;
    expect(rows.filter(({ row }) => row === 'gap')).toEqual([]);
    const exported = byKey(positions);
    expect([...exported.keys()].sort()).toEqual([...byKey(stored).keys()].sort());
    expect(positions).toHaveLength(exported.size);
    expect(rows.filter(({ complete }) => complete !== 'true')).toEqual([]);
    const read = (row: Record<string, string>) => ({
      ...row,
      ...Object.fromEntries(
        [...Object.keys(ROUNDED), 'confidence', 'emergency_state'].map((name) => [name, cell(row[name])]),
      ),
      receiver_count: cell(row.receiver_count) === null ? null : Number(row.receiver_count),
      simulated: row.simulated === 'true',
      test_broadcast: row.test_broadcast === 'true',
    });
    const wrong = stored.flatMap((each) =>
      differences(read(exported.get(keyOf(each)) as unknown as Record<string, string>), each),
    );
    expect(wrong).toEqual([]);
  });

  test('in GeoJSON, for free the second time', async () => {
    lookout.service.forgetRequests();
    const collection = check((await get('geojson')).text) as GeoJSON.FeatureCollection;
    const positions = collection.features.filter(({ properties }) => properties?.row === 'position');
    const exported = byKey(positions.map(({ properties }) => properties as Stored[number]));
    expect([...exported.keys()].sort()).toEqual([...byKey(stored).keys()].sort());
    expect(stored.flatMap((each) => differences(exported.get(keyOf(each)), each))).toEqual([]);
    expect(lookout.service.requests()).toEqual([]);
  });

  test('in KML', async () => {
    const text = (await get('kml')).text;
    // biome-ignore lint/suspicious/noExplicitAny: two packages' types of the same DOM.
    const read = kml(new DOMParser().parseFromString(text, 'text/xml') as any);
    const seen = read.features.flatMap(({ geometry, properties }) => {
      const times = properties?.coordinateProperties?.times;
      if (!times) return [];
      const lines = linesOf(geometry);
      const name = String(properties?.name).replace(/^(SIM |TEST )+/, '');
      return (Array.isArray(times[0]) ? times : [times]).flatMap((ofRun: string[], run: number) =>
        ofRun.map((time, index) => [name, Date.parse(time), ...(lines[run]?.[index] ?? []).slice(0, 2)].join(' ')),
      );
    });
    const several = new Set(seen.map((each) => each.split(' ')[0]));
    const round = (deg: number) => Number(deg.toFixed(6));
    const expected = stored
      .filter(({ public_track_id }) => several.has(public_track_id))
      .map((each) => [keyOf(each), round(each.longitude), round(each.latitude)].join(' '));
    expect(several.size).toBeGreaterThan(10);
    expect(new Set(seen)).toEqual(new Set(expected));
    expect(seen).toHaveLength(expected.length);
  });

  test('A filter narrows it, and nulls are kept apart', async () => {
    const answer = await get('csv', '&alt=0..2000&unknown=hide&layers=adsb');
    const rows = parse<Record<string, string>>(answer.text, { columns: true });
    const expected = stored.filter(
      ({ track_kind, altitude_m }) =>
        track_kind !== 'drone' && altitude_m !== null && altitude_m >= 0 && altitude_m < 2000,
    );
    expect(rows.length).toBe(expected.length);
    expect(rows.every(({ layer }) => layer === 'adsb')).toBe(true);
  });

  test('Times beyond the price are a gap in the file, not a shorter file', async () => {
    const elsewhere = query.replace(AREA, '1.5,46.5,2.5,47.5');
    const answer = await ask(`${lookout.url}/api/export?format=csv&max_requests=0&${elsewhere}`);
    const rows = parse<Record<string, string>>(answer.text, { columns: true });
    expect(rows.map(({ row, gap_reason }) => [row, gap_reason])).toEqual([
      ['gap', 'not_requested'],
      ['gap', 'not_requested'],
    ]);
  });

  test('Live positions are those that the page has', async () => {
    const live = (await ask(`${lookout.url}/api/live?bbox=${AREA}`)).json();
    const answer = await ask(`${lookout.url}/api/export?format=csv&bbox=${AREA}`);
    const rows = parse<Record<string, string>>(answer.text, { columns: true });
    const references = (layer: 'rid' | 'adsb') =>
      live.layers[layer].records.map((each: Stored[number]) => each.public_track_id);
    expect(new Set(rows.map((row) => row.public_track_id))).toEqual(
      new Set([...references('rid'), ...references('adsb')]),
    );
    expect(rows.every(({ stale_after }) => stale_after !== '')).toBe(true);
  });

  test('An impossible export is refused in words', async () => {
    expectRefusal(await ask(`${lookout.url}/api/export?format=pdf&bbox=${AREA}`), 400, 'bad_query');
    expectRefusal(await get('csv', '&age=..30'), 400, 'bad_query');
    expectRefusal(
      await ask(`${lookout.url}/api/export?format=csv&${query.replace(AREA, '0,40,20,60')}`),
      400,
      'bad_query',
    );
  });
});

/** A track of one position is a point. */
function linesOf(geometry: GeoJSON.Geometry | null): GeoJSON.Position[][] {
  switch (geometry?.type) {
    case 'Point':
      return [[geometry.coordinates]];
    case 'LineString':
      return [geometry.coordinates];
    case 'MultiLineString':
      return geometry.coordinates;
    case 'GeometryCollection':
      return geometry.geometries.flatMap(linesOf);
    default:
      throw new Error(`no track: ${geometry?.type}`);
  }
}
