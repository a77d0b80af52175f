import { isLiveGap, LIVE_GAPS, LIVE_REASONS } from '#lib/api/layer-reason.ts';
import { type ClockZone, clockWords } from '#lib/model/clock-words.ts';
import { durationWords } from '#lib/model/duration-words.ts';
import type { Layer } from '#lib/model/position.ts';
import { drawnOf } from '#lib/picture/draw-picture.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import type { LayerStatus } from './display-summary.ts';

type Tone = 'good' | 'warning' | 'bad' | 'neutral';

export interface LayerWords {
  readonly tone: Tone;
  /** A whole sentence: what an operator must know of the layer now. */
  readonly sentence: string;
}

/** What a layer is called on screen. */
export const LAYER_NAME: Readonly<Record<Layer, string>> = { rid: 'Drones', adsb: 'Aircraft' };
const positionName: Readonly<Record<Layer, string>> = { rid: 'drone', adsb: 'aircraft' };

/**
 * Empty, not asked, failed, refused and limited are five different states and read differently.
 * @param now `undefined` before the first answer
 */
export function layerWords(status: LayerStatus, now: UpstreamInstant | undefined, zone: ClockZone): LayerWords {
  const name = LAYER_NAME[status.layer];
  if (!status.on) return { tone: 'neutral', sentence: `${name}: layer is off, not asked for` };
  const caveats = caveatWords(status);
  const aged = ageWords(status, now);
  switch (status.state) {
    case undefined:
    case 'waiting':
      return { tone: 'neutral', sentence: `${name}: waiting for the first answer` };
    case 'fresh': {
      const tone = status.partial || status.unreadable > 0 ? 'warning' : 'good';
      if (drawnOf(status.counts) === 0) {
        return { tone, sentence: `No ${positionName[status.layer]} positions received in this view${caveats}` };
      }
      return { tone, sentence: `${name}: up to date, read ${sinceWords(status, now)} ago${caveats}` };
    }
    case 'stale':
      return { tone: 'warning', sentence: `${name}: ${failureWords(status, zone)}, ${aged}${caveats}` };
    case 'failed':
      return { tone: 'bad', sentence: `${name}: ${failureWords(status, zone)}, ${aged}${caveats}` };
    case 'denied':
      return { tone: 'bad', sentence: `${name}: ${whyWords(status)}, ${aged}${caveats}` };
    case 'limited': {
      const until = status.until === undefined ? '' : ` until ${clockWords(status.until, zone)}`;
      return { tone: 'warning', sentence: `${name}: ${whyWords(status)}${until}, ${aged}${caveats}` };
    }
  }
}

function whyWords({ reason }: LayerStatus): string {
  return reason === undefined ? 'not refreshed' : LIVE_REASONS[reason].live;
}

function failureWords(status: LayerStatus, zone: ClockZone): string {
  const why = whyWords(status);
  return status.failingSince === undefined ? why : `${why} since ${clockWords(status.failingSince, zone)}`;
}

function ageWords(status: LayerStatus, now: UpstreamInstant | undefined): string {
  if (drawnOf(status.counts) === 0) return 'nothing to show';
  return `showing positions read ${sinceWords(status, now)} ago`;
}

function sinceWords(status: LayerStatus, now: UpstreamInstant | undefined): string {
  if (now === undefined || status.fetchedAt === undefined) return 'some time';
  return durationWords(msBetween(status.fetchedAt, now));
}

function caveatWords(status: LayerStatus): string {
  const partial = status.partial ? ` · incomplete: ${missingWords(status)}` : '';
  const records = status.unreadable === 1 ? 'record' : 'records';
  return status.unreadable > 0 ? `${partial} · ${status.unreadable} ${records} unreadable` : partial;
}

/** A reason that says why the layer is old says nothing of what is missing: then a part has not had its turn yet. */
function missingWords({ reason }: LayerStatus): string {
  return LIVE_GAPS[reason !== undefined && isLiveGap(reason) ? reason : 'not_read_yet'].missing;
}
