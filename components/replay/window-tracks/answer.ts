import { RECEPTIONS } from '#lib/api/layer-reason.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { groupedBy } from '#lib/client/grouped-by.ts';
import { gapReasonText } from '#lib/client/replay/replay-layer-text.ts';
import { minuteAt } from '#lib/client/replay/replay-progress.ts';
import type { ReplayGap, ReplayLayer, ReplaySummary } from '#lib/client/replay/replay-summary.ts';
import { scannedArea } from '#lib/client/replay/window-tracks/scan-window.ts';
import type {
  Approach,
  KindInWindow,
  PossibleCrossing,
  WindowTrack,
  WindowTracks,
} from '#lib/client/replay/window-tracks/window-tracks.ts';
import { formatFilter } from '#lib/filter/filter-parameters.ts';
import type { TrackFilter } from '#lib/filter/track-filter.ts';
import { type Area, areaBbox } from '#lib/geo/area.ts';
import { type Bbox, bboxCovers, bboxesOverlap, formatBbox } from '#lib/geo/bbox.ts';
import { type ClockZone, clockText, dateTimeText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { distanceText, groupedNumber } from '#lib/model/measure-text.ts';
import { LAYER_OF_KIND, LAYERS, type Layer, type TrackKind } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { addMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import { MINUTE_LABEL, minuteRuns } from '../minutes.ts';

/**
 * The answer to "which tracks were here": the question, a verdict for each kind, what was complete, and the tracks. All
 * parts are of one instant. Where loading or reception was incomplete, it says so, and never that the place was empty.
 */
export interface AreaAnswer {
  readonly start: UpstreamInstant;
  readonly end: UpstreamInstant;
  readonly madeAt: UpstreamInstant;
  readonly operator: string | undefined;
  readonly question: readonly string[];
  /** The area of the question; `undefined`: all that is loaded. */
  readonly area: Area | undefined;
  readonly loaded: Bbox;
  readonly verdicts: readonly KindVerdict[];
  readonly completeness: Completeness;
  readonly tracks: readonly WindowTrack[];
  readonly crossings: readonly PossibleCrossing[];
  /** The nearest track outside, by kind; `undefined`: none was received. */
  readonly outside: Readonly<Record<TrackKind, Approach | undefined>>;
  readonly place: string | undefined;
  readonly units: UnitSystem;
  readonly zone: ClockZone;
}

export interface AnswerOptions {
  readonly tracks: WindowTracks;
  readonly replay: Pick<ReplaySummary, 'layers' | 'loading' | 'area' | 'playback'>;
  readonly filter: TrackFilter;
  readonly visible: Bbox | undefined;
  readonly filterWords: readonly string[];
  readonly placeWords: string | undefined;
  readonly markedPlace: string | undefined;
  readonly madeAt: UpstreamInstant;
  readonly operator: string | undefined;
  readonly mayLoad: boolean;
  readonly units: UnitSystem;
  readonly zone: ClockZone;
}

export function areaAnswer(options: AnswerOptions): AreaAnswer {
  const { tracks, replay, filter, visible, units, zone } = options;
  const { start, end } = replay.playback.window;
  const inside = filter.inside === 'view' ? visible : filter.inside;
  const completeness = completenessOf({ ...replay, asked: inside, mayLoad: options.mayLoad, zone });
  const [place] = formatFilter({ ...filter, inside }).filter((parameter) => parameter.startsWith('inside='));
  return {
    start,
    end,
    madeAt: options.madeAt,
    operator: options.operator,
    question: [
      `From ${dateTimeText(start, zone)} to ${dateTimeText(end, zone)}`,
      place === undefined
        ? `Everywhere in the loaded area: ${formatBbox(replay.area)}`
        : `${options.placeWords}: ${place.slice('inside='.length)}`,
      ...(options.filterWords.length > 0 ? [`Only: ${options.filterWords.join(' · ')}`] : []),
    ],
    area: inside && scannedArea(inside),
    loaded: replay.area,
    verdicts: verdicts({ tracks, completeness, kind: filter.kind, hasArea: inside !== undefined, units, zone }),
    completeness,
    tracks: [...tracks.drone.tracks, ...tracks.aircraft.tracks],
    crossings: [...tracks.drone.crossings, ...tracks.aircraft.crossings],
    outside: { drone: tracks.drone.nearestOutside, aircraft: tracks.aircraft.nearestOutside },
    place: options.markedPlace,
    units,
    zone,
  };
}

export const ANSWER_NOTICE =
  'Received positions only. Between two received positions a track’s place is not known. Coverage is not guaranteed; an empty area is not a clear area. References rotate: two references may be the same aircraft or drone.';

export const AREA_NOT_LOADED = 'A part of the area was not loaded.';

interface KindVerdict {
  readonly kind: TrackKind;
  /** `open`: no positions in what was loaded and could be received, and the rest is unknown. */
  readonly answer: 'yes' | 'no' | 'open' | 'not-asked';
  readonly headline: string;
  readonly details: readonly string[];
}

interface VerdictOptions {
  readonly tracks: WindowTracks;
  readonly completeness: Completeness;
  /** The kind that the filter shows; `undefined`: both. */
  readonly kind: TrackKind | undefined;
  readonly hasArea: boolean;
  readonly units: UnitSystem;
  readonly zone: ClockZone;
}

/** Drones come first, since most questions are about them. */
const KINDS: readonly TrackKind[] = ['drone', 'aircraft'];

function verdicts(options: VerdictOptions): readonly KindVerdict[] {
  return KINDS.filter((kind) => options.kind === undefined || options.kind === kind).map((kind) =>
    verdictOf(kind, options),
  );
}

function verdictOf(kind: TrackKind, { tracks, completeness, hasArea, units, zone }: VerdictOptions): KindVerdict {
  const layer = completeness.layers.find((each) => each.layer === LAYER_OF_KIND[kind]);
  const [one, many] = kind === 'drone' ? ['drone', 'drones'] : ['aircraft', 'aircraft'];
  if (!layer?.isAsked)
    return { kind, answer: 'not-asked', headline: `${capitalised(many)}: not asked, the layer is off.`, details: [] };
  const found = tracks[kind];
  const where = hasArea ? 'received inside' : 'received in this window';
  const isLoaded = layer.isLoaded && completeness.isAreaLoaded;
  const isWhole = isLoaded && layer.isComplete;
  const details = [
    ...(isLoaded ? [] : ['Not everything is loaded.']),
    ...layer.receptionSentences,
    ...beside(found, [one, many], units, zone),
  ];
  if (found.tracks.length > 0) {
    const more = isWhole ? '' : ' or more';
    return { kind, answer: 'yes', headline: `${capitalised(many)} ${where}: ${countText(found)}${more}.`, details };
  }
  const none = `No ${one} position ${where}`;
  if (!isLoaded) return { kind, answer: 'open', headline: `${none}, in what is loaded.`, details };
  if (!isWhole) return { kind, answer: 'open', headline: `${none}, but receivers were missing.`, details };
  return { kind, answer: found.crossings.length > 0 ? 'open' : 'no', headline: `${none}.`, details };
}

/** Sentences about tracks that may have crossed, or that were near, or received at all. */
function beside(
  { tracks, crossings, nearestOutside, received }: KindInWindow,
  [one, many]: readonly [string, string],
  units: UnitSystem,
  zone: ClockZone,
): readonly string[] {
  const sentences: string[] = [];
  if (crossings.length > 0) {
    const count = crossings.length === 1 ? `1 ${one}` : `${groupedNumber(crossings.length)} ${many}`;
    sentences.push(`Not known: ${count} may have crossed between two received positions.`);
  }
  if (tracks.length > 0) return sentences;
  if (nearestOutside) {
    const { distanceM, ref, at } = nearestOutside;
    sentences.push(
      `Nearest received position: ${distanceText(units, distanceM)} away, ${shortReference(ref)} at ${clockText(at, zone)}.`,
    );
  } else if (received === 0) sentences.push(`No ${one} was received in the loaded area.`);
  return sentences;
}

/** `2`, or `1 · 1 simulated · 1 test`: simulated tracks and tests are never added to others. */
function countText({ tracks }: Pick<KindInWindow, 'tracks'>): string {
  const simulated = tracks.filter((track) => track.simulated).length;
  const test = tracks.filter((track) => !track.simulated && track.testBroadcast).length;
  const real = tracks.length - simulated - test;
  const parts = [
    ...(real > 0 || tracks.length === 0 ? [groupedNumber(real)] : []),
    ...(simulated > 0 ? [`${groupedNumber(simulated)} simulated`] : []),
    ...(test > 0 ? [`${groupedNumber(test)} test`] : []),
  ];
  return parts.join(' · ');
}

interface MissingStretch extends Window {
  readonly text: string;
}

interface LayerCompleteness {
  readonly layer: Layer;
  readonly isAsked: boolean;
  readonly isLoaded: boolean;
  /** Whether it is loaded, and receivers were there all the time. */
  readonly isComplete: boolean;
  /** The times whose received positions are not all loaded. */
  readonly missing: readonly MissingStretch[];
  /** The times when some or all receivers were missing: nothing more can be loaded of them. */
  readonly receptionGaps: readonly MissingStretch[];
  /** There is one sentence for each reason in `receptionGaps`. */
  readonly receptionSentences: readonly string[];
  readonly sentence: string;
}

interface Completeness {
  readonly layers: readonly LayerCompleteness[];
  readonly isAreaLoaded: boolean;
}

interface CompletenessOptions extends Pick<ReplaySummary, 'layers' | 'loading' | 'area' | 'playback'> {
  readonly asked: Area | Bbox | undefined;
  readonly mayLoad: boolean;
  readonly zone: ClockZone;
}

/** One sentence names so many times at most, since a receiver may come and go all night. */
const TIMES_MAX = 4;

/** How complete the replay is in the asked area. Gaps outside of it are ignored. */
function completenessOf({ asked, ...replay }: CompletenessOptions): Completeness {
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
    return {
      ...of,
      isLoaded: false,
      isComplete: false,
      missing: [],
      receptionGaps: [],
      receptionSentences: [],
      sentence,
    };
  }
  const missing = missingStretches(layer, box, options);
  const receptionGaps = receptionStretches(layer, box, options);
  const receptionSentences = [...groupedBy(receptionGaps, ({ text }) => text)].map(([text, stretches]) =>
    receptionSentence(text, stretches, options),
  );
  const unreadable =
    layer.unreadable > 0 ? ` Records that could not be read and are left out: ${layer.unreadable}.` : '';
  const isLoaded = missing.length === 0 && unreadable === '';
  const stretches = missing.map((stretch) => `${spanText(stretch, options.zone)} ${stretch.text}`);
  const loaded = receptionGaps.length === 0 ? 'complete' : 'loaded';
  return {
    ...of,
    isLoaded,
    isComplete: isLoaded && receptionGaps.length === 0,
    missing,
    receptionGaps,
    receptionSentences,
    sentence: [
      `${name}: ${missing.length === 0 ? loaded : `incomplete: ${stretches.join('; ')}`}.${unreadable}`,
      ...receptionSentences,
    ].join(' '),
  };
}

function receptionSentence(
  text: string,
  stretches: readonly MissingStretch[],
  { playback, zone }: Pick<CompletenessOptions, 'playback' | 'zone'>,
): string {
  const sumMs = stretches.reduce((sum, stretch) => sum + windowLengthMs(stretch), 0);
  const times = stretches.slice(0, TIMES_MAX).map((stretch) => spanText(stretch, zone));
  const more = stretches.length > TIMES_MAX ? ` and ${stretches.length - TIMES_MAX} more times` : '';
  const share = `${durationText(sumMs)} of ${durationText(windowLengthMs(playback.window))}`;
  return `${capitalised(text)} for ${share}: ${times.join(', ')}${more}.`;
}

function missingStretches(
  { minutes, gaps }: ReplayLayer,
  box: Bbox | undefined,
  { loading, playback, mayLoad }: Omit<CompletenessOptions, 'asked'>,
): readonly MissingStretch[] {
  const { window } = playback;
  // Each incomplete minute then has its gap, with its place.
  if (loading.kind === 'done') return stretchesOf(gaps, box, window, ({ reason }) => gapReasonText(reason, mayLoad));
  return runsOf(minutes, window).filter(({ state }) => state !== 'complete' && !(state in RECEPTIONS));
}

function receptionStretches(
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

function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
