import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryFilter } from './arbitrary-filter.fixture.ts';
import { FILTER_PARAMETERS, formatFilter, parseFilter } from './filter-parameters.ts';
import { NO_FILTER } from './track-filter.ts';

const parsed = (query: string) => {
  const parameters = new URLSearchParams(query);
  return parseFilter((name) => parameters.getAll(name));
};

const RANGES = ['alt', 'agl', 'speed', 'age', 'rx'];

describe('a filter in a link', () => {
  test('parses back to the same filter', () => {
    fc.assert(
      fc.property(arbitraryFilter, (filter) => {
        expect(parsed(formatFilter(filter).join('&'))).toEqual({ filter, problems: [] });
      }),
    );
  });

  test('does not lead a link into another one where it is cut inside a range', () => {
    fc.assert(
      fc.property(arbitraryFilter, fc.nat(), (filter, length) => {
        for (const parameter of formatFilter(filter)) {
          const [name = '', value = ''] = parameter.split('=');
          if (!RANGES.includes(name)) continue;
          const cut = `${name}=${value.slice(0, length % value.length)}`;
          expect(parsed(cut)).toEqual({ filter: NO_FILTER, problems: [expect.objectContaining({ name })] });
        }
      }),
    );
  });

  test('without criteria takes no room', () => {
    expect(formatFilter(NO_FILTER)).toEqual([]);
  });

  test('any text is either understood or named, never both', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...FILTER_PARAMETERS), fc.string()), (query) => {
        const { filter, problems } = parsed(new URLSearchParams(query).toString());
        const understood = formatFilter(filter).length + (query.unknown === 'show' ? 1 : 0);
        expect(understood + problems.length).toBe(Object.keys(query).length);
      }),
    );
  });

  test.each([
    ['alt', '0_1000m', { altitudeM: { from: 0, to: 1000 } }],
    ['alt', '-10_-5m', { altitudeM: { from: -10, to: -5 } }],
    ['agl', '_120m', { heightAglM: { from: undefined, to: 120 } }],
    ['speed', '5_mps', { speedMps: { from: 5, to: undefined } }],
    ['age', '_30s', { ageS: { from: undefined, to: 30 } }],
    ['rx', '2_rx', { receiverCount: { from: 2, to: undefined } }],
    ['alt', '0..1000', { altitudeM: { from: 0, to: 1000 } }],
    ['agl', '..120', { heightAglM: { from: undefined, to: 120 } }],
    ['conf', 'single,multi_station', { confidence: ['single', 'multi_station'] }],
    ['sim', 'hide', { simulated: 'hide' }],
    ['test', 'only', { testBroadcast: 'only' }],
    ['emergency', 'only', { emergency: 'only' }],
    ['kind', 'drone', { kind: 'drone' }],
    ['inside', 'view', { inside: 'view' }],
    ['inside', '170,-10,-170,10', { inside: { west: 170, south: -10, east: -170, north: 10 } }],
    ['unknown', 'hide', { unknown: 'hide' }],
  ])('%s=%s', (name, value, expected) => {
    expect(parsed(`${name}=${value}`)).toEqual({ filter: { ...NO_FILTER, ...expected }, problems: [] });
  });

  test.each([
    'alt=..',
    'alt=5',
    'alt=5..5',
    'alt=_m',
    'alt=0_90',
    'alt=0_9m_',
    'alt=0_90s',
    'speed=5_50m',
    'rx=2_',
    'alt=9..5',
    'alt=1e3..',
    'alt=0..1..2',
    'alt=0..5&alt=0..6',
    'conf=',
    'conf=single,,',
    'sim=show',
    'emergency=hide',
    'inside=1,2,3',
    'unknown=',
  ])('%s is refused, and filters nothing', (query) => {
    const { filter, problems } = parsed(query);
    expect(filter).toEqual(NO_FILTER);
    expect(problems.map(({ name }) => name)).toEqual([query.split('=')[0]]);
  });
});
