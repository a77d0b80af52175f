import type { FoundPlace } from './places-answer.ts';

export const ZURICH: FoundPlace = {
  kind: 'airport',
  name: 'Zürich Airport',
  codes: ['LSZH', 'ZRH'],
  city: 'Zurich',
  country: 'CH',
  population: null,
  closed: false,
  major: true,
  lat: 47.458,
  lon: 8.548,
  runways: [],
};
