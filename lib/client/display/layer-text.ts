import { isLiveGap, LIVE_GAPS, LIVE_REASONS } from '#lib/api/layer-reason.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { countdownText, durationText } from '#lib/model/duration-text.ts';
import type { Layer } from '#lib/model/position.ts';
import { drawnOf } from '#lib/picture/draw-picture.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import type { LayerStatus } from './display-summary.ts';

/** The place is read when the operator's share of the allowance permits. */
const TURN = 'waits_its_turn';

type Tone = 'good' | 'warning' | 'bad' | 'neutral';

export interface LayerText {
  readonly tone: Tone;
  readonly sentence: string;
}

export const LAYER_NAME: Readonly<Record<Layer, string>> = { rid: 'Drones', adsb: 'Aircraft' };
const positionName: Readonly<Record<Layer, string>> = { rid: 'drone', adsb: 'aircraft' };

/**
 * Empty, off, failed, denied and limited have different texts.
 * @param now `undefined` before the first answer
 */
export function layerText(status: LayerStatus, now: UpstreamInstant | undefined, zone: ClockZone): LayerText {
  const name = LAYER_NAME[status.layer];
  if (!status.on) return { tone: 'neutral', sentence: `${name}: layer is off, not requested` };
  const caveats = caveatText(status, now);
  const aged = ageText(status, now);
  switch (status.state) {
    case undefined:
    case 'waiting':
      return { tone: 'neutral', sentence: `${name}: ${waitingText(status, now)}` };
    case 'fresh': {
      const tone = status.partial || status.unreadable > 0 ? 'warning' : 'good';
      if (drawnOf(status.counts) === 0) {
        return { tone, sentence: `No ${positionName[status.layer]} positions received in this view${caveats}` };
      }
      return { tone, sentence: `${name}: up to date, read ${sinceText(status, now)} ago${caveats}` };
    }
    case 'stale':
      return {
        tone: 'warning',
        sentence: `${name}: ${failureText(status, zone)}${turnText(status, now)}, ${aged}${caveats}`,
      };
    case 'failed':
      return { tone: 'bad', sentence: `${name}: ${failureText(status, zone)}, ${aged}${caveats}` };
    case 'denied':
      return { tone: 'bad', sentence: `${name}: ${whyText(status)}, ${aged}${caveats}` };
    case 'limited': {
      const until = status.until === undefined ? '' : ` until ${clockText(status.until, zone)}`;
      return { tone: 'warning', sentence: `${name}: ${whyText(status)}${until}, ${aged}${caveats}` };
    }
  }
}

function whyText({ reason }: LayerStatus): string {
  return reason === undefined ? 'not refreshed' : LIVE_REASONS[reason].live;
}

function failureText(status: LayerStatus, zone: ClockZone): string {
  const why = whyText(status);
  return status.failingSince === undefined ? why : `${why} since ${clockText(status.failingSince, zone)}`;
}

function ageText(status: LayerStatus, now: UpstreamInstant | undefined): string {
  if (drawnOf(status.counts) === 0) return 'nothing to show';
  return `showing positions read ${sinceText(status, now)} ago`;
}

function sinceText(status: LayerStatus, now: UpstreamInstant | undefined): string {
  if (now === undefined || status.fetchedAt === undefined) return 'some time';
  return durationText(msBetween(status.fetchedAt, now));
}

function waitingText(status: LayerStatus, now: UpstreamInstant | undefined): string {
  return status.reason === TURN ? `${whyText(status)}${turnText(status, now)}` : 'waiting for the first answer';
}

function turnText({ reason, until }: LayerStatus, now: UpstreamInstant | undefined): string {
  if (reason !== TURN) return '';
  const inMs = until === undefined || now === undefined ? undefined : msBetween(now, until);
  return inMs === undefined ? '; this place is read in its turn' : `; this place is read ${countdownText(inMs)}`;
}

function caveatText(status: LayerStatus, now: UpstreamInstant | undefined): string {
  const partial = status.partial ? ` · incomplete: ${missingText(status, now)}` : '';
  const records = status.unreadable === 1 ? 'record' : 'records';
  return status.unreadable > 0 ? `${partial} · ${status.unreadable} ${records} unreadable` : partial;
}

function missingText({ reason, until }: LayerStatus, now: UpstreamInstant | undefined): string {
  const { missing } = LIVE_GAPS[reason !== undefined && isLiveGap(reason) ? reason : 'not_read_yet'];
  if (reason !== TURN || until === undefined || now === undefined) return missing;
  return `${missing}, read ${countdownText(msBetween(now, until))}`;
}
