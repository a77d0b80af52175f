import { describe, expect, it, test } from 'vitest';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { OriginCounts } from '#lib/picture/draw-picture.ts';
import { calledEmergencies, emergencyCall, emergencyCountText } from './emergency-text.ts';

const none = { real: 0, simulated: 0, test: 0 };
const text = (current: Partial<OriginCounts>, expired: Partial<OriginCounts> = {}, hidden = 0, place?: number) =>
  emergencyCountText({ current: { ...none, ...current }, expired: { ...none, ...expired } }, hidden, place);

describe('emergencyCountText', () => {
  it('counts simulated and test emergencies apart from real ones', () => {
    expect(text({ real: 1, simulated: 1 })).toBe('1 emergency · 1 simulated');
    expect(text({ real: 2, test: 1, simulated: 3 })).toBe('2 emergencies · 1 test · 3 simulated');
    expect(text({ simulated: 1 })).toBe('1 simulated emergency');
    expect(text({ test: 2 })).toBe('2 test emergencies');
  });

  it('says of expired emergencies that they are', () => {
    expect(text({ real: 1 }, { real: 1 })).toBe('1 emergency · 1 expired');
    expect(text({}, { real: 1, simulated: 2 })).toBe('1 expired emergency · 2 expired simulated');
  });

  it('says what a filter hides, even if that is all', () => {
    expect(text({ real: 1 }, {}, 2)).toBe('1 emergency · 2 hidden by a filter');
    expect(text({}, {}, 1)).toBe('1 emergency hidden by a filter · Show anyway');
  });

  it('says which of those on the map is selected', () => {
    expect(text({ real: 2, simulated: 2 }, {}, 1, 2)).toBe(
      '2 emergencies · 2 simulated · 1 hidden by a filter · 2 of 4',
    );
    expect(text({ real: 1 }, {}, 1, 1)).toBe('1 emergency · 1 hidden by a filter');
  });

  it('says nothing if there are none', () => {
    expect(text({})).toBeUndefined();
  });
});

const general = { ...plainPosition, emergencyState: 'general' };

test('simulated and test emergencies are announced only if the operator wants that', () => {
  const simulated = { ...general, simulated: true };
  const tested = { ...general, testBroadcast: true };
  expect(calledEmergencies([general, simulated, tested], false)).toEqual([general]);
  expect(calledEmergencies([general, simulated, tested], true)).toEqual([general, simulated, tested]);
});

describe('emergencyCall', () => {
  it('names the value in words, the kind and the reference, and says first what is not real', () => {
    expect(emergencyCall([general])).toBe('Emergency: general emergency, aircraft 00001.');
    expect(emergencyCall([{ ...general, simulated: true, testBroadcast: true }])).toMatch(/^Simulated emergency: /);
    expect(emergencyCall([{ ...general, testBroadcast: true }])).toMatch(/^Test emergency: /);
  });

  it('names three of many, and counts the others', () => {
    expect(emergencyCall(Array(5).fill(general))).toMatch(/^(Emergency: [^.]+\. ){3}And 2 more\.$/);
  });
});
