import { expect, test } from 'vitest';
import { sourceSchema, sourceSchemaOf, ZONE_FORMATS, type ZoneFile } from '../zone.ts';
import { drafts, problems } from './import-file.fixture.ts';
import { ImportReport, type ZoneFormat } from './import-report.ts';
import { exportZones } from './import-zones.ts';
import { readPosition } from './read-values.ts';

/** A format in one row: each line is a circle, such as `CIRCLE 8.5 47.4 300`. */
const CIRCLES: ZoneFormat = {
  title: 'Circles',
  extensions: ['.circles'],
  type: 'text/x-circles',
  syntax: 'lines',
  isOf: (text) => text.startsWith('CIRCLE '),
  *read(text, { report }) {
    for (const [index, line] of text.trim().split('\n').entries()) {
      const own = new ImportReport(report.answers);
      const place = `Line ${index + 1}`;
      const [, lon, lat, radius] = line.split(' ');
      const centre = readPosition([Number(lon), Number(lat)], place, own);
      const shape = centre && { type: 'Circle' as const, centre, radius_m: Number(radius) };
      yield {
        place,
        report: own,
        zones: [{ name: place, shape, vertical: null, hours: null, rules: [], words: { line } }],
      };
    }
  },
  write: (zones) =>
    zones
      .map(({ shape }) => (shape.type === 'Circle' ? `CIRCLE ${shape.centre.join(' ')} ${shape.radius_m}\n` : ''))
      .join(''),
};

const formats = { circles: CIRCLES };

test('a format of one row is read, with the places of its problems, and its words', () => {
  expect(drafts('CIRCLE 8.5 47.4 300\nCIRCLE 8.6 47.4 200\n', { formats })).toMatchObject([
    { name: 'Line 1', shape: { type: 'Circle', centre: [8.5, 47.4], radius_m: 300 }, source: { format: 'circles' } },
    { name: 'Line 2', source: { words: { line: 'CIRCLE 8.6 47.4 200' } } },
  ]);
  expect(problems('CIRCLE 8.5 147.4 300', { formats })).toEqual([expect.stringContaining('Line 1: has the position')]);
});

test('a format of one row is stored as the source of a zone, and written', () => {
  const read = drafts('CIRCLE 8.5 47.4 300\n', { formats });
  const source = sourceSchemaOf({ ...ZONE_FORMATS, ...formats });
  expect(source.parse(read[0]?.source)).toEqual(read[0]?.source);
  expect(sourceSchema.safeParse(read[0]?.source).success).toBe(false);
  expect(exportZones('circles', read, formats)).toBe('CIRCLE 8.5 47.4 300\n');
  expect(() => exportZones('circles', read)).toThrow('Lookout writes no files of circles');
});

test.each(Object.entries<ZoneFile>(ZONE_FORMATS))('%s is written exactly if it has a media type', (name, { type }) => {
  const [zone] = drafts('CIRCLE 8.5 47.4 300', { formats });
  const write = () => exportZones(name, zone ? [{ ...zone, source: null }] : []);
  if (type === undefined) expect(write).toThrow(RangeError);
  else expect(drafts(write())).toMatchObject([{ name: 'Line 1' }]);
});

test('a file in none of the formats is refused with their titles', () => {
  const others = { squares: { ...CIRCLES, title: 'Squares', isOf: () => false }, circles: CIRCLES };
  expect(problems('SQUARE 8.5 47.4 300', { formats: others })).toEqual(['The file: is none of Squares and Circles']);
  expect(problems('SQUARE 8.5 47.4 300')).toEqual(['The file: is none of GeoJSON, KML, ED-269, ED-318 and OpenAir']);
});

test('a format without a condition reads what no other format of its syntax is', () => {
  const read: string[] = [];
  const json = (title: string, isOf?: () => boolean): ZoneFormat => ({
    title,
    extensions: ['.json'],
    syntax: 'json',
    ...(isOf && { isOf }),
    read: () => {
      read.push(title);
      return [];
    },
  });
  for (const isOf of [() => true, () => false])
    problems('{}', { formats: { any: json('any'), special: json('special', isOf) } });
  expect(read).toEqual(['special', 'any']);
});
