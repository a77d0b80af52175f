import { downText, isLiveGap, isReception, LIVE_GAPS, LIVE_REASONS, RECEPTIONS } from '#lib/api/layer-reason.ts';
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

export const LAYER_DISPLAY_ORDER = ['adsb', 'rid'] as const satisfies readonly Layer[];

export const LAYER_NAME: Readonly<Record<Layer, string>> = { rid: 'Drones', adsb: 'Aircraft' };
const positionName: Readonly<Record<Layer, string>> = { rid: 'drone', adsb: 'aircraft' };

/**
 * Empty, off, failed, denied, limited, not received and not equipped have different texts.
 * @param now `undefined` before the first answer
 */
export function layerText(status: LayerStatus, now: UpstreamInstant | undefined, zone: ClockZone): LayerText {
  const name = LAYER_NAME[status.layer];
  if (!status.on) return { tone: 'neutral', sentence: `${name}: layer is off, not requested` };
  const caveats = caveatText(status, now, zone);
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
    case 'unequipped':
      return {
        tone: 'neutral',
        sentence: `No ${positionName[status.layer]} receiver${drawnOf(status.counts) === 0 ? '' : `, ${aged}`}${caveats}`,
      };
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

function whyText({ reason, partial }: LayerStatus): string {
  if (reason === undefined) return 'not refreshed';
  if (!partial || !isReception(reason)) return LIVE_REASONS[reason].live;
  // The others are no reason for the state: see the caveat.
  return reason === 'receivers_lost' ? RECEPTIONS[reason].missing : 'not refreshed';
}

function failureText(status: LayerStatus, zone: ClockZone): string {
  const why = whyText(status);
  return status.failingSince === undefined ? why : `${why} since ${clockText(status.failingSince, zone)}`;
}

function ageText(status: LayerStatus, now: UpstreamInstant | undefined): string {
  if (drawnOf(status.counts) === 0) return 'nothing to show';
  // The layer is still read, and nothing new arrives.
  if (status.reason === 'receivers_lost' || status.reason === 'not_equipped') return 'showing the last positions';
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

function caveatText(status: LayerStatus, now: UpstreamInstant | undefined, zone: ClockZone): string {
  const isSaid = status.reason === 'receivers_lost';
  const partial = status.partial && !isSaid ? ` · incomplete: ${missingText(status, now, zone)}` : '';
  const records = status.unreadable === 1 ? 'record' : 'records';
  return status.unreadable > 0 ? `${partial} · ${status.unreadable} ${records} unreadable` : partial;
}

function missingText(
  { reason = 'not_read_yet', until, reception }: LayerStatus,
  now: UpstreamInstant | undefined,
  zone: ClockZone,
): string {
  if (reason === 'receivers_partly' && reception) {
    const since = reception.since === undefined ? '' : ` since ${clockText(reception.since, zone)}`;
    return `${downText(reception)}${since}`;
  }
  if (isReception(reason)) return RECEPTIONS[reason].missing;
  const { missing } = LIVE_GAPS[isLiveGap(reason) ? reason : 'not_read_yet'];
  if (reason !== TURN || until === undefined || now === undefined) return missing;
  return `${missing}, read ${countdownText(msBetween(now, until))}`;
}
