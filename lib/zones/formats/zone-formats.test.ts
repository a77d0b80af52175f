import { expect, test } from 'vitest';
import { drafts, problems } from './import-file.fixture.ts';
import { ImportReport, type ZoneFormat } from './import-report.ts';
import { readPosition } from './read-values.ts';

/** A format in one row: each line is a circle, such as `CIRCLE 8.5 47.4 300`. */
const CIRCLES: ZoneFormat = {
  name: 'openair',
  title: 'Circles',
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
};

const formats = [CIRCLES];

test('a format of one row is read, with the places of its problems, and its words', () => {
  expect(drafts('CIRCLE 8.5 47.4 300\nCIRCLE 8.6 47.4 200\n', { formats })).toMatchObject([
    { name: 'Line 1', shape: { type: 'Circle', centre: [8.5, 47.4], radius_m: 300 }, source: { format: 'openair' } },
    { name: 'Line 2', source: { words: { line: 'CIRCLE 8.6 47.4 200' } } },
  ]);
  expect(problems('CIRCLE 8.5 147.4 300', { formats })).toEqual([expect.stringContaining('Line 1: has the position')]);
});

test('a file in none of the formats is refused with their titles', () => {
  const others: ZoneFormat[] = [{ ...CIRCLES, title: 'Squares', isOf: () => false }, CIRCLES];
  expect(problems('SQUARE 8.5 47.4 300', { formats: others })).toEqual(['The file: is none of Squares and Circles']);
  expect(problems('SQUARE 8.5 47.4 300')).toEqual(['The file: is none of GeoJSON, KML, ED-269, ED-318 and OpenAir']);
});

test('a format without a condition reads what no other format of its syntax is', () => {
  const read: string[] = [];
  const json = (title: string, isOf?: () => boolean): ZoneFormat => ({
    name: 'geojson',
    title,
    syntax: 'json',
    ...(isOf && { isOf }),
    read: () => {
      read.push(title);
      return [];
    },
  });
  for (const isOf of [() => true, () => false]) problems('{}', { formats: [json('any'), json('special', isOf)] });
  expect(read).toEqual(['special', 'any']);
});
