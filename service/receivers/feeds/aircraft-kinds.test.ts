import { expect, test } from 'vitest';
import { aircraftJsonUrls } from './aircraft-kinds.ts';

test.each([
  ['http://pi/tar1090', ['http://pi/tar1090/data/aircraft.json', 'http://pi/tar1090/aircraft.json']],
  ['http://pi/tar1090/', ['http://pi/tar1090/data/aircraft.json', 'http://pi/tar1090/aircraft.json']],
  ['http://pi/tar1090/index.html#map', ['http://pi/tar1090/data/aircraft.json', 'http://pi/tar1090/aircraft.json']],
  [
    'http://pi/tar1090/?icao=4b1800',
    ['http://pi/tar1090/data/aircraft.json', 'http://pi/tar1090/aircraft.json', 'http://pi/tar1090/?icao=4b1800'],
  ],
  ['http://pi:8080/data', ['http://pi:8080/data/aircraft.json']],
  ['http://pi/data/aircraft.json', ['http://pi/data/aircraft.json']],
  ['http://pi:30152/re-api/?all_with_pos', ['http://pi:30152/re-api/?all_with_pos']],
  [
    'https://pi',
    [
      'https://pi/tar1090/data/aircraft.json',
      'https://pi/data/aircraft.json',
      'https://pi/skyaware/data/aircraft.json',
      'https://pi/dump1090-fa/data/aircraft.json',
      'https://pi/dump1090/data/aircraft.json',
      'https://pi/readsb/data/aircraft.json',
      'https://pi/aircraft.json',
      'https://pi/data.json',
    ],
  ],
])('the aircraft of %s', (url, expected) => {
  expect(aircraftJsonUrls(new URL(url)).map(String)).toEqual(expected);
});
