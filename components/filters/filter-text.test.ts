import { describe, expect, test } from 'vitest';
import { activeCriteria, NO_FILTER, type TrackFilter } from '#lib/filter/track-filter.ts';
import { criterionText, hiddenEmergenciesText, unknownTexts } from './filter-text.ts';

const texts = (part: Partial<TrackFilter>, units: 'metric' | 'aviation' = 'metric') => {
  const filter = { ...NO_FILTER, ...part };
  return activeCriteria(filter).map((criterion) => criterionText(filter, criterion, units));
};

describe('what a filter shows', () => {
  test('ranges are in the operator’s units', () => {
    expect(texts({ altitudeM: { from: 0, to: 1000 } })).toEqual(['Altitude 0–1000 m']);
    expect(texts({ altitudeM: { from: 304.8, to: undefined } }, 'aviation')).toEqual(['Altitude from 1000 ft']);
    expect(texts({ heightAglM: { from: undefined, to: 120 } })).toEqual(['Height above ground below 120 m']);
    expect(texts({ speedMps: { from: 51.444, to: undefined } }, 'aviation')).toEqual(['Speed from 100 kt']);
    expect(texts({ ageS: { from: undefined, to: 30 } })).toEqual(['Age below 30 s']);
    expect(texts({ receiverCount: { from: 2, to: undefined } })).toEqual(['Receivers from 2']);
  });

  test('every other criterion has a text of its own', () => {
    expect(
      texts({
        kind: 'drone',
        confidence: ['single', 'näher'],
        simulated: 'hide',
        testBroadcast: 'only',
        emergency: 'only',
        inside: 'view',
      }),
    ).toEqual([
      'Drones only',
      'Confidence One station or näher',
      'Simulated hidden',
      'Tests only',
      'Emergencies only',
      'In view',
    ]);
  });
});

test('values that were not reported are counted by name, with what happens to them', () => {
  const unknown = { altitudeM: 12, heightAglM: 0, speedMps: 1, receiverCount: 0, confidence: 0 };
  expect(unknownTexts({ filter: NO_FILTER, unknown })).toEqual([
    '12 with unknown altitude are shown',
    '1 with unknown speed is shown',
  ]);
  expect(unknownTexts({ filter: { ...NO_FILTER, unknown: 'hide' }, unknown })[0]).toBe(
    '12 with unknown altitude are hidden',
  );
});

test('hidden emergencies are counted', () => {
  expect([1, 2].map(hiddenEmergenciesText)).toEqual(['1 emergency hidden', '2 emergencies hidden']);
});
