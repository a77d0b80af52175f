import { describe, expect, test } from 'vitest';
import { groupedNumber } from '#lib/model/measure-text.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { liveTrailNote } from './trail-choice.tsx';

const NOW = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 31));

describe('the note on live trails', () => {
  test('says since when the view has been read, until that is longer ago than trails are', () => {
    const readSince = (agoMs: number) =>
      liveTrailNote('all', { kind: 'loaded', since: addMs(NOW, -agoMs) }, NOW, 'utc');
    expect(readSince(60_000)).toBe(
      `The last 15 min of all tracks as received, or less if that is more than ${groupedNumber(200_000)} positions. All of this view has been read since 12:03:31Z; before that, positions may be missing.`,
    );
    expect(readSince(15 * 60_000)).toBe(
      `The last 15 min of all tracks as received, or less if that is more than ${groupedNumber(200_000)} positions.`,
    );
  });

  test('says what is not known', () => {
    const note = (state: Parameters<typeof liveTrailNote>[1]) => liveTrailNote('selected', state, NOW, 'utc');
    const kept = 'The selected track’s last 15 min, as received.';
    expect(note({ kind: 'off' })).toBe(kept);
    expect(note({ kind: 'loading' })).toBe(`${kept} Loading what was received before.`);
    expect(note({ kind: 'failed' })).toBe(`${kept} Earlier positions could not be loaded: trails begin now.`);
    expect(note({ kind: 'loaded', since: undefined })).toBe(
      `${kept} Not all of this view was read before: positions may be missing.`,
    );
    expect(liveTrailNote('off', { kind: 'off' }, NOW, 'utc')).toBe('No trails are drawn.');
  });
});
