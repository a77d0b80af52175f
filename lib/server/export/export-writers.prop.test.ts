import { check } from '@placemarkio/check-geojson';
import { kml } from '@tmcw/togeojson';
import { DOMParser } from '@xmldom/xmldom';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LiveRecord } from '#lib/api/live-answer.ts';
import { anyBbox } from '#lib/geo/arbitrary-bbox.fixture.ts';
import { bboxContains, splitAtAntimeridian } from '#lib/geo/bbox.ts';
import { anyRecord, plainRecord } from '../../api/arbitrary-record.fixture.ts';
import type { ExportItem } from './export-items.ts';
import {
  EXPORT_WRITERS,
  EXPORTED_FIELDS,
  type ExportHead,
  type ExportWriter,
  fieldOf,
  TRAIL_FIELDS,
} from './export-writers.ts';

const window = { start: '2026-11-21T11:59:00.000Z', end: '2026-11-21T12:01:00.000Z' };

const hostileText = fc.constantFrom(
  'a,b',
  'he said "no"',
  'line\r\nbreak',
  '</kml>&<x>',
  ...['=1+1', '+1', '-1', '-1+cmd|calc', '@SUM(A1)', '\t=1', '\r=1', '\n=1', ' =1', '\u200B=1', '\uFEFF@x', '\uFF1D1'],
  ...['\u202Eabc', '\u0000\u0008', '\uD800', '\uFFFE', '\uFFFF', '\u0085'],
);
const record = fc
  .tuple(anyRecord, fc.option(hostileText, { nil: undefined }))
  .map(([each, label]): LiveRecord => (label === undefined ? each : { ...each, confidence: label }));
const item: fc.Arbitrary<ExportItem> = fc.oneof(
  fc.record({
    kind: fc.constant('positions' as const),
    row: fc.constantFrom('position' as const, 'trail' as const),
    layer: fc.constantFrom('rid', 'adsb'),
    complete: fc.boolean(),
    records: fc.uniqueArray(record, {
      selector: (each) => `${each.public_track_id} ${each.observed_at}`,
      maxLength: 12,
    }),
  }),
  fc.record({
    kind: fc.constant('gap' as const),
    layer: fc.constantFrom('rid', 'adsb'),
    bbox: anyBbox,
    window: fc.constantFrom(undefined, window),
    reason: fc.constantFrom('too_dense', 'not_requested'),
  }),
);
const head: fc.Arbitrary<ExportHead> = anyBbox.map((bbox) => ({
  covered: splitAtAntimeridian(bbox),
  layers: ['rid', 'adsb'],
  asOf: window.end,
  window,
  filter: 'alt=0..1000&conf=näher',
}));
const written = (writer: ExportWriter, of: ExportHead, items: readonly ExportItem[]) =>
  [writer.start(of), ...items.map((each) => writer.item(each)), writer.end()].join('');

const exportedRecords = (items: readonly ExportItem[]) =>
  items.flatMap((each) =>
    each.kind === 'gap'
      ? []
      : each.records.map((of) => ({ row: each.row, layer: each.layer, complete: each.complete, record: of })),
  );
const gaps = (items: readonly ExportItem[]) => items.filter((each) => each.kind === 'gap');

describe('an export', () => {
  test('as CSV is read back by a strict parser, field by field; null is empty', () => {
    fc.assert(
      fc.property(head, fc.array(item, { maxLength: 6 }), (of, items) => {
        const rows = parse<Record<string, string>>(written(EXPORT_WRITERS.csv(), of, items), {
          columns: true,
          relax_quotes: false,
          relax_column_count: false,
          record_delimiter: '\r\n',
        });
        const positions = rows.filter(({ row }) => row !== 'gap');
        expect(positions).toEqual(
          exportedRecords(items).map(({ row, layer, complete, record: each }) => ({
            row,
            layer,
            ...Object.fromEntries(
              EXPORTED_FIELDS.map((name) => [
                name,
                row === 'position' || TRAIL_FIELDS.includes(name) ? cellOf(fieldOf(each, name)) : '',
              ]),
            ),
            complete: String(complete),
            gap_bbox: '',
            gap_start: '',
            gap_end: '',
            gap_reason: '',
          })),
        );
        expect(rows.length - positions.length).toBe(gaps(items).length);
      }),
    );
  });

  test('as CSV has no cell that a spreadsheet would run, and every number as a number', () => {
    fc.assert(
      fc.property(head, fc.array(item, { maxLength: 6 }), (of, items) => {
        const rows = parse<Record<string, string>>(written(EXPORT_WRITERS.csv(), of, items), { columns: true });
        for (const cell of rows.flatMap((row) => Object.values(row))) {
          if (cell !== '' && Number.isFinite(Number(cell)) && !/\s/.test(cell)) continue;
          expect(cell).not.toMatch(/^[\s\p{C}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/u);
          expect(cell).not.toMatch(/^[\t\r\n]/);
        }
        const numbers = rows
          .filter(({ row }) => row !== 'gap')
          .map(({ longitude, latitude, altitude_m }) => [longitude, latitude, altitude_m]);
        expect(numbers).toEqual(
          exportedRecords(items).map(({ record: { longitude, latitude, altitude_m } }) =>
            [longitude, latitude, altitude_m ?? ''].map(String),
          ),
        );
      }),
    );
  });

  test('as GeoJSON follows RFC 7946: areas end at 180°, and each position keeps every field', () => {
    fc.assert(
      fc.property(head, fc.array(item, { maxLength: 6 }), (of, items) => {
        const collection = check(written(EXPORT_WRITERS.geojson(), of, items)) as GeoJSON.FeatureCollection;
        const ofRow = (row: string) => collection.features.filter(({ properties }) => properties?.row === row);
        const ofPositions = collection.features.filter(({ properties }) => /position|trail/.test(properties?.row));
        expect(ofPositions.map(({ geometry, properties }) => ({ geometry, properties }))).toEqual(
          exportedRecords(items).map(({ row, layer, complete, record: each }) => ({
            geometry: { type: 'Point', coordinates: [each.longitude + 0, each.latitude + 0] },
            properties: {
              row,
              layer,
              // JSON has no lone surrogates and no negative zero.
              ...JSON.parse(
                JSON.stringify(
                  Object.fromEntries(
                    (row === 'position' ? EXPORTED_FIELDS : TRAIL_FIELDS).map((name) => [name, fieldOf(each, name)]),
                  ),
                ),
              ),
              complete,
            },
          })),
        );
        expect(ofRow('gap')).toHaveLength(gaps(items).length);
        for (const { geometry } of [...ofRow('area'), ...ofRow('gap')]) {
          const rings = (geometry as GeoJSON.MultiPolygon).coordinates.map(([ring]) => ring as GeoJSON.Position[]);
          for (const ring of rings) {
            const lons = ring.map(([lon]) => lon as number);
            expect(Math.min(...lons)).toBeGreaterThanOrEqual(-180);
            expect(Math.max(...lons)).toBeLessThanOrEqual(180);
            expect(signedArea(ring)).toBeGreaterThan(0);
          }
        }
      }),
    );
  });

  test('as KML is read back: each position at its time and place, runs that are far apart in time not joined', () => {
    fc.assert(
      fc.property(head, fc.array(item, { maxLength: 4 }), (of, items) => {
        const text = written(EXPORT_WRITERS.kml(), of, items);
        expect(text).toMatch(/^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u);
        const document = new DOMParser({
          onError: (level, message) => level !== 'warning' && expect.fail(message),
        }).parseFromString(text, 'text/xml');
        const seen = Array.from(document.getElementsByTagName('gx:Track')).flatMap((track) => {
          const texts = (name: string) =>
            Array.from(track.getElementsByTagName(name), (each) => each.textContent ?? '');
          const whens = texts('when');
          for (let index = 1; index < whens.length; index++)
            expect(Date.parse(whens[index] as string)).toBeGreaterThanOrEqual(Date.parse(whens[index - 1] as string));
          const references = Array.from(track.getElementsByTagName('gx:SimpleArrayData'))
            .find((each) => each.getAttribute('name') === 'public_track_id')
            ?.getElementsByTagName('gx:value');
          return texts('gx:coord').map((coord, index) => {
            const [lon, lat, height] = coord.split(' ').map(Number);
            const mode = track.getElementsByTagName('altitudeMode')[0]?.textContent;
            return [references?.[index]?.textContent, whens[index], lon, lat, mode, height].join(' ');
          });
        });
        const expected = exportedRecords(items).map(
          ({ record: { public_track_id, observed_at, longitude, latitude, height_agl_m: height, altitude_m } }) =>
            [
              ...[public_track_id, observed_at, longitude + 0, latitude + 0],
              ...(height !== null
                ? ['relativeToGround', height + 0]
                : altitude_m !== null
                  ? ['absolute', altitude_m + 0]
                  : ['clampToGround', 0]),
            ].join(' '),
        );
        expect(seen.sort()).toEqual(expected.sort());
        // biome-ignore lint/suspicious/noExplicitAny: two packages' types of the same DOM.
        const read = kml(document as any);
        const areas = read.features.filter(
          ({ properties }) => properties?.styleUrl === '#area' || properties?.styleUrl === '#gap',
        );
        expect(areas).toHaveLength(1 + gaps(items).length);
      }),
      { numRuns: 50 },
    );
  });
});

test('KML names the tracks of simulated and test broadcasts so', () => {
  const records = [
    plainRecord,
    { ...plainRecord, public_track_id: 'RX-A-0000000000000002', simulated: true },
    { ...plainRecord, public_track_id: 'RX-A-0000000000000003', simulated: true, test_broadcast: true },
  ];
  const kmlText = EXPORT_WRITERS.kml().item({
    kind: 'positions',
    row: 'position',
    layer: 'adsb',
    complete: true,
    records,
  });
  expect([...kmlText.matchAll(/<name>(.*?)<\/name>/g)].map(([, name]) => name)).toEqual([
    'RX-A-0000000000000001',
    'SIM RX-A-0000000000000002',
    'SIM TEST RX-A-0000000000000003',
  ]);
});

test('KML draws each stretch of a path at the height that it has, and says so; only what has none lies on the ground', () => {
  const at = (second: number, height_agl_m: number | null, altitude_m: number | null): LiveRecord => ({
    ...plainRecord,
    observed_at: `2026-11-21T12:00:0${second}.000Z`,
    height_agl_m,
    altitude_m,
  });
  const kmlText = EXPORT_WRITERS.kml().item({
    kind: 'positions',
    row: 'position',
    layer: 'adsb',
    complete: true,
    records: [at(0, null, 3000), at(1, null, 2900), at(2, 120, 600), at(3, null, null)],
  });
  const stretches = [...kmlText.matchAll(/<gx:Track><altitudeMode>(\w+)<\/altitudeMode>(.*?)<\/gx:Track>/gs)];
  const heights = (text: string) =>
    [...text.matchAll(/<gx:coord>\S+ \S+ (\S+)<\/gx:coord>/g)].map(([, height]) => height);
  expect(stretches.map(([, mode, text]) => [mode, heights(text ?? '')])).toEqual([
    ['absolute', ['3000', '2900']],
    ['relativeToGround', ['120']],
    ['clampToGround', ['0']],
  ]);
  const [, said] = /<description>(.*?)<\/description>/.exec(kmlText) ?? [];
  expect(said).toMatch(
    /^1 of 4 positions are drawn at their height above ground, which is estimated\. 2 of 4 positions/,
  );
  expect(said).toMatch(/1 of 4 positions are drawn on the ground, since they have neither height nor altitude\.$/);
});

function cellOf(value: string | number | boolean | null): string {
  const text = String(value ?? '').toWellFormed();
  return typeof value === 'string' && /^([\t\r\n]|[\s\p{C}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/u.test(text)
    ? `'${text}`
    : text;
}

/** Positive for a counterclockwise ring (RFC 7946, 3.1.6). */
function signedArea(ring: readonly GeoJSON.Position[]): number {
  const [[x0, y0]] = ring as [[number, number]];
  let sum = 0;
  for (let index = 1; index < ring.length; index++) {
    const [x1, y1] = ring[index - 1] as [number, number];
    const [x2, y2] = ring[index] as [number, number];
    sum += (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
  }
  return sum / 2;
}

test('the areas of the properties cross 180° in some runs', () => {
  const boxes = fc.sample(anyBbox, 200);
  expect(boxes.some((box) => bboxContains(box, 180, box.south) && box.west > box.east)).toBe(true);
});
