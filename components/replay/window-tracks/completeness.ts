import { RECEPTIONS } from '#lib/api/layer-reason.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { groupedBy } from '#lib/client/grouped-by.ts';
import { gapReasonText } from '#lib/client/replay/replay-layer-text.ts';
import { minuteAt } from '#lib/client/replay/replay-progress.ts';
import type { ReplayGap, ReplayLayer, ReplaySummary } from '#lib/client/replay/replay-summary.ts';
import { type Area, areaBbox } from '#lib/geo/area.ts';
import { type Bbox, bboxCovers, bboxesOverlap } from '#lib/geo/bbox.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { addMs, msBetween, upstreamInstant } from '#lib/time/instant.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import { minuteRuns } from '../minute-runs.ts';
import { MINUTE_LABEL } from '../minute-text.ts';

interface MissingStretch extends Window {
  readonly text: string;
}

interface LayerCompleteness {
  readonly layer: Layer;
  readonly isAsked: boolean;
  readonly isLoaded: boolean;
  /** And could be received all the time. */
  readonly isComplete: boolean;
  /** Of what was received. */
  readonly missing: readonly MissingStretch[];
  /** Without some or all receivers. */
  readonly unheard: readonly MissingStretch[];
  /** One for each lack of receivers. */
  readonly unheardSentences: readonly string[];
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

/** Times in one sentence; a receiver may come and go all night. */
const TIMES_MAX = 4;

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
  if (!layer.on) {
    const sentence = `${name}: not asked, the layer is off.`;
    return { ...of, isLoaded: false, isComplete: false, missing: [], unheard: [], unheardSentences: [], sentence };
  }
  const missing = missingStretches(layer, box, options);
  const unheard = unheardStretches(layer, box, options);
  const unheardSentences = [...groupedBy(unheard, ({ text }) => text)].map(([text, stretches]) =>
    unheardSentence(text, stretches, options),
  );
  const unreadable =
    layer.unreadable > 0 ? ` Records that could not be read and are left out: ${layer.unreadable}.` : '';
  const isLoaded = missing.length === 0 && unreadable === '';
  const stretches = missing.map((stretch) => `${spanText(stretch, options.zone)} ${stretch.text}`);
  const loaded = unheard.length === 0 ? 'complete' : 'loaded';
  return {
    ...of,
    isLoaded,
    isComplete: isLoaded && unheard.length === 0,
    missing,
    unheard,
    unheardSentences,
    sentence: [
      `${name}: ${missing.length === 0 ? loaded : `incomplete: ${stretches.join('; ')}`}.${unreadable}`,
      ...unheardSentences,
    ].join(' '),
  };
}

function unheardSentence(
  text: string,
  stretches: readonly MissingStretch[],
  { playback, zone }: Pick<CompletenessOptions, 'playback' | 'zone'>,
): string {
  const sumMs = stretches.reduce((sum, stretch) => sum + windowLengthMs(stretch), 0);
  const times = stretches.slice(0, TIMES_MAX).map((stretch) => spanText(stretch, zone));
  const more = stretches.length > TIMES_MAX ? ` and ${stretches.length - TIMES_MAX} more times` : '';
  const share = `${durationText(sumMs)} of ${durationText(windowLengthMs(playback.window))}`;
  return `${text[0]?.toUpperCase()}${text.slice(1)} for ${share}: ${times.join(', ')}${more}.`;
}

function missingStretches(
  { minutes, gaps }: ReplayLayer,
  box: Bbox | undefined,
  { loading, playback, maySpend }: Omit<CompletenessOptions, 'asked'>,
): readonly MissingStretch[] {
  const { window } = playback;
  // Each incomplete minute then has its gap, with its place.
  if (loading.kind === 'done') return stretchesOf(gaps, box, window, ({ reason }) => gapReasonText(reason, maySpend));
  return runsOf(minutes, window).filter(({ state }) => state !== 'complete' && !(state in RECEPTIONS));
}

function unheardStretches(
  { minutes, reception }: ReplayLayer,
  box: Bbox | undefined,
  { loading, playback, area }: Omit<CompletenessOptions, 'asked'>,
): readonly MissingStretch[] {
  const { window } = playback;
  if (loading.kind !== 'done') return runsOf(minutes, window).filter(({ state }) => state in RECEPTIONS);
  return stretchesOf(reception, box, window, (gap) => {
    // Minutes are of the whole area: another box may have had receivers.
    const here = minutes.slice(Math.max(0, minuteAt(window, gap.start)), minuteAt(window, addMs(gap.end, -1)) + 1);
    const isOfAll = bboxCovers(gap.bbox, box ?? area) || here.every((state) => state === gap.reason);
    return gapReasonText(isOfAll ? gap.reason : 'receivers_partly', true);
  });
}

function runsOf(minutes: ReplayLayer['minutes'], window: Window) {
  return minuteRuns(minutes, window).map(({ state, startMs, endMs }) => ({
    state,
    start: upstreamInstant(startMs),
    end: upstreamInstant(endMs),
    text: MINUTE_LABEL[state],
  }));
}

function stretchesOf(
  gaps: readonly ReplayGap[],
  box: Bbox | undefined,
  { start, end }: Window,
  textOf: (gap: ReplayGap) => string,
): readonly MissingStretch[] {
  const here = gaps
    .filter((gap) => gap.start < end && gap.end > start && (!box || bboxesOverlap(gap.bbox, box)))
    .map((gap) => ({
      start: gap.start < start ? start : gap.start,
      end: gap.end > end ? end : gap.end,
      text: textOf(gap),
    }));
  return joined(here.sort((a, b) => msBetween(b.start, a.start)));
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

function spanText({ start, end }: Window, zone: ClockZone): string {
  return `${clockText(start, zone)}–${clockText(end, zone)}`;
}
