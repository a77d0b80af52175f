import { SPEEDS, type Speed } from '#lib/api/address-state.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';

/** The most real time of one tick, so that a tab that slept does not jump. */
const TICK_MAX_MS = 250;

export interface Playback {
  /** The window has `start`, and ends before `end`. */
  readonly window: Window;
  /** The cursor may be at both ends of the window: at the end every observation has happened. */
  readonly cursor: UpstreamInstant;
  readonly state: 'paused' | 'playing';
  readonly speed: Speed;
  readonly loop: boolean;
}

export type PlaybackCommand =
  | { readonly do: 'play' | 'pause' | 'toggle' | 'slower' | 'faster' | 'toggle-loop' | 'first' | 'last' }
  | { readonly do: 'seek'; readonly to: UpstreamInstant }
  | { readonly do: 'step'; readonly byMs: number }
  | { readonly do: 'speed'; readonly to: Speed }
  /** Real time passed. Everything before `readyUntil` is loaded; the cursor does not pass it. */
  | { readonly do: 'tick'; readonly passedMs: number; readonly readyUntil: UpstreamInstant };

/** How far an arrow key moves the cursor; with Shift, ten times as far. */
export const STEP_MS = 1000;

export interface ReplayStart {
  readonly window: Window;
  /** Default: the start of the window. */
  readonly cursor?: UpstreamInstant | undefined;
  /** The speed stays as before by default, or is 1. */
  readonly speed?: Speed | undefined;
}

/**
 * Paused.
 * @param before the replay that it replaces
 */
export function startedReplay({ window, cursor, speed }: ReplayStart, before?: Playback): Playback {
  return {
    window,
    cursor: within(window, cursor ?? window.start),
    state: 'paused',
    speed: speed ?? before?.speed ?? 1,
    loop: before?.loop ?? false,
  };
}

export function playbackAfter(before: Playback, command: PlaybackCommand): Playback {
  const { window, cursor, state, speed, loop } = before;
  switch (command.do) {
    case 'play':
      return playing(before);
    case 'pause':
      return { ...before, state: 'paused' };
    case 'toggle':
      return state === 'playing' ? { ...before, state: 'paused' } : playing(before);
    case 'slower':
      return { ...before, speed: SPEEDS[Math.max(0, SPEEDS.indexOf(speed) - 1)] as Speed };
    case 'faster':
      return { ...before, speed: SPEEDS[Math.min(SPEEDS.length - 1, SPEEDS.indexOf(speed) + 1)] as Speed };
    case 'speed':
      return { ...before, speed: command.to };
    case 'toggle-loop':
      return { ...before, loop: !loop };
    case 'first':
      return { ...before, cursor: window.start };
    case 'last':
      return { ...before, cursor: window.end };
    case 'seek':
      return { ...before, cursor: within(window, command.to) };
    case 'step':
      return { ...before, cursor: within(window, addMs(cursor, command.byMs)), state: 'paused' };
    case 'tick':
      return state === 'playing' ? moved(before, command.passedMs, command.readyUntil) : before;
  }
}

export function isWaiting({ state, cursor }: Playback, readyUntil: UpstreamInstant): boolean {
  return state === 'playing' && cursor >= readyUntil;
}

function playing(replaying: Playback): Playback {
  const { window, cursor } = replaying;
  return { ...replaying, state: 'playing', cursor: cursor >= window.end ? window.start : cursor };
}

function moved(replaying: Playback, passedMs: number, readyUntil: UpstreamInstant): Playback {
  const { window, cursor, speed, loop } = replaying;
  const wanted = addMs(cursor, Math.max(0, Math.min(passedMs, TICK_MAX_MS)) * speed);
  // The cursor never moves backwards, even if `readyUntil` does.
  const reached = wanted < readyUntil ? wanted : readyUntil > cursor ? readyUntil : cursor;
  if (reached < window.end) return { ...replaying, cursor: reached };
  return loop ? { ...replaying, cursor: window.start } : { ...replaying, cursor: window.end, state: 'paused' };
}

function within(window: Window, at: UpstreamInstant): UpstreamInstant {
  return at < window.start ? window.start : at > window.end ? window.end : at;
}
