import { describe, expect, it } from 'vitest';
import { AGEING } from '#lib/model/ageing.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { trackAge } from './track-age.ts';

const observedAt = upstreamInstant(Date.UTC(2026, 10, 21, 11, 4, 18));
const place = { layerOn: true, covered: [{ west: 5, south: 45, east: 11, north: 48 }] };

const position: Position = {
  ...plainPosition,
  ref: 'RX-D-00000000000000AB',
  kind: 'drone',
  observedAt,
  lon: 8,
  lat: 47,
  heightAglM: 62,
  staleAfter: addMs(observedAt, 60_000),
};

const known = { position, expiresAt: addMs(observedAt, 60_000), gone: false };

describe('trackAge', () => {
  it('counts up from reception and down to the record’s expiry', () => {
    const age = trackAge(known, addMs(observedAt, 12_000), place);
    expect(age).toEqual({
      state: 'current',
      left: 0.8,
      text: 'Received 12 s ago · expires in 48 s',
      rest: 'Expires in 48 s',
    });
  });

  it('counts down to removal from the instant of expiry', () => {
    const { expiredMs } = AGEING.drone;
    expect(trackAge(known, addMs(observedAt, 60_000), place).state).toBe('expired');
    expect(trackAge(known, addMs(observedAt, 65_000), place).text).toBe(
      `Received 65 s ago · expired 5 s ago, removed in ${durationText(expiredMs - 5000)}`,
    );
  });

  it('says that a lost track ended or may have been renumbered', () => {
    const text = 'No longer received: this track ended or may have been renumbered';
    const age = trackAge({ ...known, gone: true }, addMs(observedAt, 999_000), place);
    expect(age).toEqual({ state: 'gone', left: undefined, text, rest: text });
  });

  it('does not call a track ended when its layer is off or the view has moved', () => {
    expect(trackAge({ ...known, gone: true }, observedAt, { ...place, layerOn: false }).text).toContain('layer is off');
    const elsewhere = { layerOn: true, covered: [{ west: -80, south: 25, east: -70, north: 35 }] };
    expect(trackAge({ ...known, gone: true }, observedAt, elsewhere).text).toContain('Outside the view');
  });
});
