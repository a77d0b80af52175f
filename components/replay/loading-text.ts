import { PAST_REASONS } from '#lib/api/layer-reason.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { gapReasonText } from '#lib/client/replay/replay-layer-text.ts';
import { AUTO_LOAD_SHARE, requestsText } from '#lib/client/replay/replay-price.ts';
import type { AskReason, ReplayLayer, ReplayLoading, ReplaySummary } from '#lib/client/replay/replay-summary.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { LAYERS } from '#lib/model/position.ts';
import type { MarkedTone } from '../ui/tone-mark.tsx';
import { missingLeadInText, missingMinutesText, unheardMinutesText } from './minute-text.ts';

export interface LoadingText {
  readonly tone: MarkedTone;
  readonly sentence: string;
}

const ASKS: Readonly<Record<AskReason, string>> = {
  always: '',
  price: ': above the limit for loading by itself',
  allowance: `: over ${AUTO_LOAD_SHARE * 100}% of the requests left for you`,
  'allowance-unknown': ': not known yet how many requests are left for you',
  wide: '',
};

interface Loaded extends Pick<ReplaySummary, 'loading' | 'layers'> {
  readonly maySpend: boolean;
}

export function loadingText({ loading, layers, maySpend }: Loaded, zone: ClockZone): LoadingText {
  const on = LAYERS.map((layer) => layers[layer]).filter((layer) => layer.on);
  const sum = (of: (layer: (typeof on)[number]) => number) => on.reduce((total, layer) => total + of(layer), 0);
  const made = sum((layer) => layer.requestsMade);
  switch (loading.kind) {
    case 'quoting':
      return { tone: 'neutral', sentence: 'Getting a quote' };
    case 'quoted':
      return { tone: 'neutral', sentence: `Not loaded yet${ASKS[loading.asks]}` };
    case 'queued':
      return { tone: 'neutral', sentence: queuedText(loading) };
    case 'loading': {
      const known = sum((layer) => layer.partsKnown);
      if (known === 0) return { tone: 'neutral', sentence: 'Loading' };
      const parts = `${sum((layer) => layer.partsDone)} of ${known} parts`;
      const expected = made + sum((layer) => layer.requestsExpected);
      return { tone: 'neutral', sentence: `Loading ${parts} · ${requestsText(made)} made of about ${expected}` };
    }
    case 'paused': {
      const until = loading.until === undefined ? '' : ` until ${clockText(loading.until, zone)}`;
      return {
        tone: 'warning',
        sentence: `Waiting${until}: ${PAST_REASONS[loading.reason].past} · ${requestsText(made)} made`,
      };
    }
    case 'done': {
      const missing = on.map((layer) => missingText(layer, maySpend)).filter((text) => text !== '');
      return missing.length === 0
        ? { tone: 'good', sentence: `Complete · ${requestsText(made)} made` }
        : { tone: 'warning', sentence: [...missing, `${requestsText(made)} made`].join(' · ') };
    }
    case 'refused':
      return { tone: 'bad', sentence: loading.message };
  }
}

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' });
const ORDINAL_ENDINGS: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> = { one: 'st', two: 'nd', few: 'rd' };
const SMALL_NUMBERS = ['no', 'one', 'two', 'three', 'four'];

function queuedText({ rank, running }: Extract<ReplayLoading, { kind: 'queued' }>): string {
  const ordinal = `${rank}${ORDINAL_ENDINGS[ORDINALS.select(rank)] ?? 'th'}`;
  const loads = `${SMALL_NUMBERS[running] ?? running} of your loads ${running === 1 ? 'runs' : 'run'}`;
  return `${ordinal} in the queue: ${loads}`;
}

function missingText({ layer, leadIn, minutes, gaps, unreadable }: ReplayLayer, maySpend: boolean): string {
  const reasons = [...new Set(gaps.map(({ reason }) => gapReasonText(reason, maySpend)))];
  const why = reasons.length === 0 ? '' : ` (${reasons.join('; ')})`;
  const missing = [missingMinutesText(minutes), missingLeadInText(leadIn)].filter((text) => text !== '').join(', ');
  const parts = [
    missing === '' ? '' : `${missing}${why}`,
    unheardMinutesText(minutes, leadIn),
    unreadable === 0 ? '' : `${unreadable} ${unreadable === 1 ? 'record' : 'records'} unreadable`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `${LAYER_NAME[layer]}: ${parts.join(', ')}`;
}
