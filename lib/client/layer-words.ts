import { LAYER_REASONS, type LayerReason } from '#lib/api/layer-reason.ts';
import { type ClockZone, clockWords } from '#lib/model/clock-words.ts';
import { durationWords } from '#lib/model/duration-words.ts';
import type { Layer } from '#lib/model/position.ts';
import type { LayerStatus } from './live-summary.ts';

type Tone = 'good' | 'warning' | 'bad' | 'neutral';

export interface LayerWords {
  readonly tone: Tone;
  /** A whole sentence: what an operator must know of the layer now. */
  readonly sentence: string;
}

/** What a layer is called on screen. */
export const LAYER_NAME: Readonly<Record<Layer, string>> = { rid: 'Drones', adsb: 'Aircraft' };
const positionName: Readonly<Record<Layer, string>> = { rid: 'drone', adsb: 'aircraft' };

/** Refusals that no waiting mends. */
const permanent: ReadonlySet<LayerReason> = new Set(['key_refused', 'layer_not_approved', 'request_rejected']);

/**
 * Empty, not asked, failed, refused and limited are five different states and read differently.
 * @param nowMs now on the upstream's clock; `undefined` before the first answer
 */
export function layerWords(status: LayerStatus, nowMs: number | undefined, zone: ClockZone): LayerWords {
  const name = LAYER_NAME[status.layer];
  if (!status.on) return { tone: 'neutral', sentence: `${name}: layer is off, not asked for` };
  const caveats = caveatWords(status);
  const aged = ageWords(status, nowMs);
  switch (status.state) {
    case undefined:
    case 'waiting':
      return { tone: 'neutral', sentence: `${name}: waiting for the first answer` };
    case 'fresh': {
      const tone = status.partial || status.unreadable > 0 ? 'warning' : 'good';
      if (drawnOf(status) === 0) {
        return { tone, sentence: `No ${positionName[status.layer]} positions received in this view${caveats}` };
      }
      return { tone, sentence: `${name}: up to date, read ${sinceWords(status, nowMs)} ago${caveats}` };
    }
    case 'stale':
      return {
        tone: status.reason && permanent.has(status.reason) ? 'bad' : 'warning',
        sentence: `${name}: ${failureWords(status, zone)}, ${aged}${caveats}`,
      };
    case 'failed':
      return { tone: 'bad', sentence: `${name}: ${failureWords(status, zone)}, ${aged}${caveats}` };
    case 'denied':
      return { tone: 'bad', sentence: `${name}: ${LAYER_REASONS.layer_not_approved}, ${aged}${caveats}` };
    case 'limited': {
      const until = status.untilMs === undefined ? '' : ` until ${clockWords(status.untilMs, zone)}`;
      return { tone: 'warning', sentence: `${name}: ${LAYER_REASONS.allowance_used_up}${until}, ${aged}${caveats}` };
    }
  }
}

function failureWords(status: LayerStatus, zone: ClockZone): string {
  const why = status.reason === undefined ? 'not refreshed' : LAYER_REASONS[status.reason];
  return status.failingSinceMs === undefined ? why : `${why} since ${clockWords(status.failingSinceMs, zone)}`;
}

function drawnOf({ counts }: LayerStatus): number {
  return counts.real + counts.simulated + counts.test + counts.coasted;
}

function ageWords(status: LayerStatus, nowMs: number | undefined): string {
  if (drawnOf(status) === 0) return 'nothing to show';
  return `showing positions read ${sinceWords(status, nowMs)} ago`;
}

function sinceWords(status: LayerStatus, nowMs: number | undefined): string {
  if (nowMs === undefined || status.fetchedAtMs === undefined) return 'some time';
  return durationWords(nowMs - status.fetchedAtMs);
}

function caveatWords(status: LayerStatus): string {
  const partial = status.partial ? ` · incomplete: ${missingWords(status)}` : '';
  const records = status.unreadable === 1 ? 'record' : 'records';
  return status.unreadable > 0 ? `${partial} · ${status.unreadable} ${records} unreadable` : partial;
}

/** Reasons that say which pages are missing; without one of them a part of the view is, or has not had its turn yet. */
const pageReasons: ReadonlySet<LayerReason> = new Set(['pages_endless', 'pages_interrupted']);

function missingWords({ reason }: LayerStatus): string {
  if (reason === 'pages_pending') return LAYER_REASONS.pages_pending;
  return reason !== undefined && pageReasons.has(reason)
    ? 'not every page was read'
    : 'a part of this view is not read';
}
