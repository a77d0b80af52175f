import { PAST_REASONS, REPLAY_REASONS } from '#lib/api/layer-reason.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import type { ReplayLayer, ReplayPrice, ReplaySummary } from '#lib/client/replay/replay-summary.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { LAYERS } from '#lib/model/position.ts';
import type { MarkedTone } from '../ui/tone-mark.tsx';
import { missingMinutesText } from './minute-text.ts';

export interface LoadingText {
  readonly tone: MarkedTone;
  readonly sentence: string;
}

type Loaded = Pick<ReplaySummary, 'loading' | 'layers'>;

/** Progress of a replay's load, and the requests it made. */
export function loadingText({ loading, layers }: Loaded, zone: ClockZone): LoadingText {
  const on = LAYERS.map((layer) => layers[layer]).filter((layer) => layer.on);
  const sum = (of: (layer: (typeof on)[number]) => number) => on.reduce((total, layer) => total + of(layer), 0);
  const made = sum((layer) => layer.requestsMade);
  switch (loading.kind) {
    case 'quoting':
      return { tone: 'neutral', sentence: 'Getting a quote' };
    case 'quoted':
      return { tone: 'neutral', sentence: 'Not loaded yet' };
    case 'loading': {
      const known = sum((layer) => layer.partsKnown);
      if (known === 0) return { tone: 'neutral', sentence: 'Loading' };
      const parts = `${sum((layer) => layer.partsDone)} of ${known} parts`;
      const expected = made + sum((layer) => layer.requestsExpected);
      return { tone: 'neutral', sentence: `Loading ${parts} · ${requests(made)} made of about ${expected}` };
    }
    case 'paused': {
      const until = loading.until === undefined ? '' : ` until ${clockText(loading.until, zone)}`;
      return {
        tone: 'warning',
        sentence: `Waiting${until}: ${PAST_REASONS[loading.reason].past} · ${requests(made)} made`,
      };
    }
    case 'done': {
      const missing = on.map(missingText).filter((text) => text !== '');
      return missing.length === 0
        ? { tone: 'good', sentence: `Complete · ${requests(made)} made` }
        : { tone: 'warning', sentence: [...missing, `${requests(made)} made`].join(' · ') };
    }
    case 'refused':
      return { tone: 'bad', sentence: loading.message };
  }
}

/** What loading costs: `about 39 requests, at most 78`. */
export function priceText({ expected, known, maxRequests }: ReplayPrice): string {
  if (expected === 0) return 'no requests';
  return `${known ? 'about' : 'at least'} ${requests(expected)}, at most ${maxRequests}`;
}

function requests(count: number): string {
  return count === 1 ? '1 request' : `${count} requests`;
}

/** What is missing in a layer, and why, each reason once; empty if nothing is. */
function missingText({ layer, minutes, gaps, unreadable }: ReplayLayer): string {
  const reasons = [...new Set(gaps.map(({ reason }) => REPLAY_REASONS[reason].past))];
  const why = reasons.length === 0 ? '' : ` (${reasons.join('; ')})`;
  const missing = missingMinutesText(minutes);
  const parts = [
    missing === '' ? '' : `${missing}${why}`,
    unreadable === 0 ? '' : `${unreadable} ${unreadable === 1 ? 'record' : 'records'} unreadable`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `${LAYER_NAME[layer]}: ${parts.join(', ')}`;
}
