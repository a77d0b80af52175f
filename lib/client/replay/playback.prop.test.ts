import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SPEEDS } from '#lib/api/address-state.ts';
import { addMs, epochMs, msBetween, upstreamInstant } from '#lib/time/instant.ts';
import { isWaiting, type Playback, type PlaybackCommand, playbackAfter, startedReplay } from './playback.ts';

const START = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const WINDOW = { start: START, end: addMs(START, 3_600_000) };
const instant = fc.integer({ min: -600_000, max: 4_200_000 }).map((ms) => addMs(START, ms));

const command: fc.Arbitrary<PlaybackCommand> = fc.oneof(
  fc.record({
    do: fc.constantFrom('play', 'pause', 'toggle', 'slower', 'faster', 'toggle-loop', 'first', 'last'),
  }),
  fc.record({ do: fc.constant('seek' as const), to: instant }),
  fc.record({ do: fc.constant('step' as const), byMs: fc.integer({ min: -100_000, max: 100_000 }) }),
  fc.record({ do: fc.constant('speed' as const), to: fc.constantFrom(...SPEEDS) }),
  fc.record({
    do: fc.constant('tick' as const),
    passedMs: fc.integer({ min: -10, max: 100_000 }),
    readyUntil: instant,
  }),
);

const entered = (change: Partial<Playback> = {}): Playback => ({ ...startedReplay({ window: WINDOW }), ...change });

describe('playback', () => {
  test('the cursor stays within the window, whatever the start and the commands', () => {
    fc.assert(
      fc.property(fc.option(instant, { nil: undefined }), fc.array(command, { maxLength: 40 }), (cursor, commands) => {
        const { cursor: end } = commands.reduce(playbackAfter, startedReplay({ window: WINDOW, cursor }));
        expect(end).toBeGreaterThanOrEqual(epochMs(WINDOW.start));
        expect(end).toBeLessThanOrEqual(epochMs(WINDOW.end));
      }),
    );
  });

  test('playing never passes `readyUntil`, and never goes backwards', () => {
    fc.assert(
      fc.property(instant, instant, fc.integer({ min: 0, max: 100_000 }), (at, readyUntil, passedMs) => {
        const before = playbackAfter(entered({ state: 'playing' }), { do: 'seek', to: at });
        const after = playbackAfter(before, { do: 'tick', passedMs, readyUntil });
        expect(after.cursor).toBeGreaterThanOrEqual(epochMs(before.cursor));
        expect(after.cursor).toBeLessThanOrEqual(Math.max(epochMs(before.cursor), epochMs(readyUntil)));
      }),
    );
  });

  test('after a long sleep it advances by a quarter of a second of real time', () => {
    const playing = entered({ state: 'playing', speed: 120 });
    const after = playbackAfter(playing, { do: 'tick', passedMs: 3_000_000, readyUntil: WINDOW.end });
    expect(msBetween(playing.cursor, after.cursor)).toBe(250 * 120);
  });

  test('while paused it does not advance, and it resumes from where it was', () => {
    const paused = playbackAfter(entered({ state: 'playing' }), { do: 'pause' });
    const later = playbackAfter(paused, { do: 'tick', passedMs: 5000, readyUntil: WINDOW.end });
    expect(later).toEqual(paused);
    const resumed = playbackAfter(later, { do: 'play' });
    expect(playbackAfter(resumed, { do: 'tick', passedMs: 16, readyUntil: WINDOW.end })).toMatchObject({
      cursor: addMs(START, 16),
    });
  });

  test('it pauses at the end and then plays from the start; with loop it restarts by itself', () => {
    const nearEnd = entered({ state: 'playing', cursor: addMs(WINDOW.end, -1), speed: 1 });
    const tick = { do: 'tick', passedMs: 100, readyUntil: WINDOW.end } as const;
    const ended = playbackAfter(nearEnd, tick);
    expect(ended).toMatchObject({ cursor: WINDOW.end, state: 'paused' });
    expect(playbackAfter(ended, { do: 'toggle' })).toMatchObject({ cursor: WINDOW.start, state: 'playing' });
    expect(playbackAfter({ ...nearEnd, loop: true }, tick)).toMatchObject({ cursor: WINDOW.start, state: 'playing' });
  });

  test('it is waiting exactly while it plays and has reached `readyUntil`', () => {
    expect(isWaiting(entered({ state: 'playing' }), START)).toBe(true);
    expect(isWaiting(entered({ state: 'playing' }), addMs(START, 1))).toBe(false);
    expect(isWaiting(entered(), START)).toBe(false);
  });

  test('a new window keeps speed and loop', () => {
    const before = entered({ speed: 30, loop: true, state: 'playing' });
    const next = { start: addMs(START, -60_000), end: START };
    expect(startedReplay({ window: next }, before)).toEqual({
      window: next,
      cursor: next.start,
      state: 'paused',
      speed: 30,
      loop: true,
    });
  });
});
