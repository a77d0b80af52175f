import { RECEPTIONS, REPLAY_REASONS, type ReplayReason } from '#lib/api/layer-reason.ts';
import { type ClockZone, clockRangeText, clockText } from '#lib/model/clock-text.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { LAYER_NAME, type LayerText } from '../display/layer-text.ts';
import { minuteAt, worstMinute } from './replay-progress.ts';
import type { MinuteState, ReplayGap, ReplayLayer } from './replay-summary.ts';

export interface ReplayLayerText extends LayerText {
  readonly short: string;
}

interface ShownReplay {
  readonly window: Window;
  readonly cursor: UpstreamInstant;
  readonly zone: ClockZone;
  readonly mayLoad: boolean;
}

/** A role that may not load the past sees only parts that others have loaded. */
export function gapReasonText(reason: ReplayReason, mayLoad: boolean): string {
  return reason === 'not_requested' && !mayLoad ? 'an operator can load it' : REPLAY_REASONS[reason].past;
}

const NOT_RECEIVED = {
  receivers_lost: { tone: 'bad', short: 'no receiver' },
  receivers_partly: { tone: 'warning', short: 'receivers down' },
  not_equipped: { tone: 'warning', short: 'not equipped' },
} as const satisfies Readonly<Record<keyof typeof RECEPTIONS, Omit<ReplayLayerText, 'sentence'>>>;

const positionName: Readonly<Record<Layer, string>> = { rid: 'drone', adsb: 'aircraft' };

/**
 * Includes the minutes up to `shownForMs` before the cursor.
 * @param drawn the layer's shown positions
 */
export function replayLayerText(
  layer: ReplayLayer,
  drawn: number,
  { window, cursor, zone, mayLoad }: ShownReplay,
): ReplayLayerText {
  const name = LAYER_NAME[layer.layer];
  if (!layer.on) return { tone: 'neutral', sentence: `${name}: layer is off, not loaded`, short: 'off' };
  const shownSince = addMs(cursor, -layer.shownForMs);
  const loadedSince = addMs(window.start, -layer.leadIn.length * MINUTE_MS);
  const from = shownSince < loadedSince ? loadedSince : shownSince;
  const state = stateBetween(layer, window, from, cursor);
  switch (state) {
    case 'failed':
      return {
        tone: 'bad',
        sentence: `${name}: could not be loaded at this time${why(layer, window, from, cursor, mayLoad)}`,
        short: 'failed',
      };
    case 'not-requested':
      return {
        tone: 'warning',
        sentence: `${name}: not loaded at this time${why(layer, window, from, cursor, mayLoad)}`,
        short: 'not loaded',
      };
    case 'loading':
      return { tone: 'neutral', sentence: `${name}: still loading at this time`, short: 'loading' };
    case 'truncated':
      return {
        tone: 'warning',
        sentence: `${name}: incomplete at this time${why(layer, window, from, cursor, mayLoad)}`,
        short: 'incomplete',
      };
    case 'receivers_lost':
    case 'receivers_partly':
    case 'not_equipped': {
      const { reception } = layer;
      const own = reception.filter(({ reason }) => reason === state);
      const stretch =
        gapBetween(own, window, cursor, cursor) ??
        gapBetween(own, window, from, cursor) ??
        gapBetween(reception, window, from, cursor);
      const when = stretch ? clockRangeText(stretch, zone) : 'at this time';
      return { ...NOT_RECEIVED[state], sentence: `${name}: ${RECEPTIONS[state].past} ${when}` };
    }
    case 'complete':
      break;
  }
  if (shownSince < loadedSince) {
    const before = clockText(loadedSince, zone);
    return {
      tone: 'neutral',
      sentence: `${name}: what was received before ${before} is outside the account’s history`,
      short: 'beginning',
    };
  }
  return drawn === 0
    ? {
        tone: 'good',
        sentence: `No ${positionName[layer.layer]} positions received in this area at this time`,
        short: 'complete',
      }
    : { tone: 'good', sentence: `${name}: fully loaded`, short: 'complete' };
}

function stateBetween(
  { leadIn, minutes }: ReplayLayer,
  window: Window,
  from: UpstreamInstant,
  to: UpstreamInstant,
): MinuteState {
  const states: MinuteState[] = [];
  for (let minute = minuteAt(window, from); minute <= minuteAt(window, to); minute++) {
    states.push((minute < 0 ? leadIn.at(minute) : minutes[minute]) ?? 'not-requested');
  }
  return worstMinute(states) ?? 'complete';
}

function why(
  { gaps }: ReplayLayer,
  window: Window,
  from: UpstreamInstant,
  to: UpstreamInstant,
  mayLoad: boolean,
): string {
  const gap = gapBetween(gaps, window, from, to);
  return gap ? `: ${gapReasonText(gap.reason, mayLoad)}` : '';
}

/** Completeness is known per minute, so a gap affects all of its minutes. */
function gapBetween(
  gaps: readonly ReplayGap[],
  window: Window,
  from: UpstreamInstant,
  to: UpstreamInstant,
): ReplayGap | undefined {
  const [first, last] = [minuteAt(window, from), minuteAt(window, to)];
  return gaps.find(({ start, end }) => minuteAt(window, start) <= last && minuteAt(window, addMs(end, -1)) >= first);
}
