import { describe, expect, it } from 'vitest';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import { addMs } from '#lib/time/instant.ts';
import { selectedRowText } from './selected-list.tsx';

const shownAt = addMs(plainPosition.observedAt, 7000);
const track = { position: plainPosition, expiresAt: addMs(plainPosition.observedAt, 60_000), gone: false };
const place = { layerOn: true, covered: [] };
const live = { isPast: false, units: 'metric', place } as const;

describe('selectedRowText', () => {
  it('has age, altitude or a drone’s height above ground, and speed, and names unreported ones', () => {
    const reported = { ...plainPosition, altitudeM: 3000, heightAglM: 60, speedMps: 12 };
    expect(selectedRowText({ ...track, position: { ...reported, kind: 'aircraft' } }, shownAt, live)).toBe(
      '7 s ago · 3000 m · 12 m/s',
    );
    expect(selectedRowText({ ...track, position: { ...reported, kind: 'drone' } }, shownAt, live)).toBe(
      '7 s ago · 60 m agl · 12 m/s',
    );
    const silent = { ...plainPosition, altitudeM: undefined, heightAglM: undefined, speedMps: undefined };
    expect(selectedRowText({ ...track, position: { ...silent, kind: 'aircraft' } }, shownAt, live)).toBe(
      '7 s ago · altitude not reported · speed not reported',
    );
  });

  it('says that a track ended, expired, was never received, or is not shown at the time of a replay', () => {
    expect(selectedRowText({ ...track, gone: true }, shownAt, live)).toContain('ended or may have been renumbered');
    expect(selectedRowText(track, addMs(track.expiresAt, 5000), live)).toMatch(
      /^65 s ago, expired · |^1 min 5 s ago, expired · /,
    );
    expect(selectedRowText(undefined, shownAt, live)).toBe('Not received since it was selected');
    expect(selectedRowText(undefined, shownAt, { ...live, isPast: true })).toBe('Not shown at this time');
  });
});
