import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { gapReasonText } from '#lib/client/replay/replay-layer-text.ts';
import type { ReplayLayer, ReplaySummary } from '#lib/client/replay/replay-summary.ts';
import { type Area, areaBbox } from '#lib/geo/area.ts';
import { type Bbox, bboxCovers } from '#lib/geo/bbox.ts';
import { bboxesOverlap } from '#lib/geo/bboxes-overlap.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { minuteRuns } from '../minute-runs.ts';
import { MINUTE_LABEL } from '../minute-text.ts';

interface MissingStretch {
  readonly start: UpstreamInstant;
  readonly end: UpstreamInstant;
  readonly text: string;
}

interface LayerCompleteness {
  readonly layer: Layer;
  readonly isAsked: boolean;
  readonly isComplete: boolean;
  readonly missing: readonly MissingStretch[];
  readonly sentence: string;
}

export interface Completeness {
  readonly layers: readonly LayerCompleteness[];
  readonly isAreaLoaded: boolean;
}

interface CompletenessOptions extends Pick<ReplaySummary, 'layers' | 'loading' | 'area' | 'playback'> {
  readonly asked: Area | Bbox | undefined;
  readonly maySpend: boolean;
  readonly zone: ClockZone;
}

/** Ignores gaps outside the asked area. */
export function completenessOf({ asked, ...replay }: CompletenessOptions): Completeness {
  const box = asked && ('kind' in asked ? areaBbox(asked) : asked);
  return {
    layers: LAYERS.map((layer) => layerCompleteness(replay.layers[layer], box, replay)),
    isAreaLoaded: !box || bboxCovers(replay.area, box),
  };
}

function layerCompleteness(
  layer: ReplayLayer,
  box: Bbox | undefined,
  options: Omit<CompletenessOptions, 'asked'>,
): LayerCompleteness {
  const name = LAYER_NAME[layer.layer];
  const of = { layer: layer.layer, isAsked: layer.on };
  if (!layer.on) return { ...of, isComplete: false, missing: [], sentence: `${name}: not asked, the layer is off.` };
  const missing = missingStretches(layer, box, options);
  const unreadable =
    layer.unreadable > 0 ? ` Records that could not be read and are left out: ${layer.unreadable}.` : '';
  const isComplete = missing.length === 0 && unreadable === '';
  const stretches = missing.map(({ start, end, text }) => `${spanText(start, end, options.zone)} ${text}`);
  return {
    ...of,
    isComplete,
    missing,
    sentence:
      missing.length === 0
        ? `${name}: complete.${unreadable}`
        : `${name}: incomplete: ${stretches.join('; ')}.${unreadable}`,
  };
}

function missingStretches(
  { minutes, gaps }: ReplayLayer,
  box: Bbox | undefined,
  { loading, playback, maySpend }: Omit<CompletenessOptions, 'asked'>,
): readonly MissingStretch[] {
  const { window } = playback;
  if (loading.kind === 'done') {
    // Each incomplete minute then has its gap, with its place.
    const here = gaps
      .filter((gap) => gap.start < window.end && gap.end > window.start && (!box || bboxesOverlap(gap.bbox, box)))
      .map(({ start, end, reason }) => ({
        start: start < window.start ? window.start : start,
        end: end > window.end ? window.end : end,
        text: gapReasonText(reason, maySpend),
      }));
    return joined(here.sort((a, b) => (a.start < b.start ? -1 : 1)));
  }
  return minuteRuns(minutes, window)
    .filter(({ state }) => state !== 'complete')
    .map(({ state, startMs, endMs }) => ({
      start: upstreamInstant(startMs),
      end: upstreamInstant(endMs),
      text: MINUTE_LABEL[state],
    }));
}

function joined(stretches: readonly MissingStretch[]): readonly MissingStretch[] {
  const whole: MissingStretch[] = [];
  for (const stretch of stretches) {
    const index = whole.findIndex(({ text, end }) => text === stretch.text && end >= stretch.start);
    const before = whole[index];
    if (before) whole[index] = { ...before, end: before.end > stretch.end ? before.end : stretch.end };
    else whole.push(stretch);
  }
  return whole;
}

function spanText(start: UpstreamInstant, end: UpstreamInstant, zone: ClockZone): string {
  return `${clockText(start, zone)}–${clockText(end, zone)}`;
}
