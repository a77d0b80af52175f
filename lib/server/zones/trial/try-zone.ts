import 'server-only';
import { ApiError } from '#lib/api/error-code.ts';
import { LEAD_IN_MAX_MS } from '#lib/api/replay-window.ts';
import { TRIAL_ALARMS_MAX, type TrialAlarm, type TryZone, type ZoneTrial } from '#lib/api/watching/zone-trial.ts';
import { HISTORY_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { hoursOf } from '#lib/server/history/history-area.ts';
import { addMs, compareInstants, epochMs, formatInstant, instantOf, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import { FAR_APART_MS } from '#lib/zones/evaluation/times.ts';
import type { Observation, WatchedZone } from '#lib/zones/evaluation/transition.ts';
import { WATCHED_AS } from '#lib/zones/stretches/watched-reception.ts';
import { pastNotes, Trial, type TriedAlarm, UNREAD, type UnwatchedWindow } from '#lib/zones/trial.ts';
import {
  type MergedGap,
  mergedGaps,
  type PastImpairment,
  type ReadPastOptions,
  readPast,
} from '../../history/read-past.ts';
import { Yielding } from '../../work/yielding.ts';
import { acceptedContent, requirePermitTerms } from '../accepted-content.ts';
import { historyBoxes } from '../zone-boxes.ts';

const WINDOW_MAX_MS = DAY_MS;
const POSITIONS_MAX = 200_000;
/** The limit is a day of 20 boxes of both layers. Each takes 0.2 ms without a request. */
const BOX_HOURS_MAX = 1000;
/** Evaluating so many takes about 8 ms with six rules. */
const SLICE = 500;
const ID = 'tried';

export interface TryOptions extends Pick<ReadPastOptions, 'load'> {
  /** Ends the reading: what was read is evaluated. */
  readonly signal: AbortSignal;
  /** Aborting it ends the trial. */
  readonly left?: AbortSignal | undefined;
}

/**
 * Tries a zone over the past: which alarms its rules would have raised. It stores and announces none of them.
 * @throws ApiError for a zone that can't be watched, or a window that can't be loaded
 */
export async function tryZone(body: TryZone, { load, signal, left }: TryOptions): Promise<ZoneTrial> {
  const { shape, vertical, hours, permits, rules, start, end, max_requests } = body;
  requireWindow({ start, end });
  acceptedContent({ shape, landmark: null, vertical, hours, rules, source: null, history_requests_a_day: 0 }, [], {});
  // A trial silences nothing.
  for (const permit of permits)
    requirePermitTerms(permit, { zone: { shape }, caller: { isAdmin: true }, nowMs: 0, at: 'permits: ' });
  const numbered = rules.map((rule, index) => ({ ...rule, id: String(index) }));
  const zone: WatchedZone = { id: ID, revision: 1, shape, vertical, hours, permits, rules: numbered };
  const window = readWindow({ start, end });
  requireBounds(zone, window);
  const past = await readPast({
    boxes: historyBoxes(zone),
    window,
    maxRequests: max_requests,
    maxPositions: POSITIONS_MAX,
    load,
    signal,
  });
  left?.throwIfAborted();
  const { observations, refusal, impaired } = past;
  const gaps = mergedGaps(past.gaps);
  if (refusal) throw refusal;
  const cutShort = observations.length > POSITIONS_MAX ? 'positions' : signal.aborted ? 'time' : null;
  const trial = new Trial(zone);
  // The load did not end: any time may be missing.
  const unread = cutShort ? [{ ...window, ...UNREAD }] : [];
  await evaluateInSlices(
    trial,
    zone,
    observations,
    window,
    (layer) => [...unread, ...gapsOf(gaps, layer), ...impairedOf(impaired, layer)],
    new Yielding(left),
  );
  const alarms = trial.alarmsIn({ start, end });
  return {
    alarms: alarms.slice(0, TRIAL_ALARMS_MAX).map(trialAlarm),
    count: countsOf(alarms),
    rules: numbered.map(({ id }) => countsOf(alarms.filter(({ opened }) => opened.rule === id))),
    positions: trial.positions,
    positions_inside: trial.positionsInside,
    inside_without_height: trial.insideWithoutHeight,
    requests: past.requests,
    complete: past.isComplete,
    cut_short: cutShort,
    gaps: [
      ...gaps.map(({ layer, start: from, end: to, reason }) => ({ layer, from, to, reason })),
      ...impaired.map(({ layer, from, to, state }) => ({
        layer,
        from: formatInstant(from),
        to: formatInstant(to),
        reason: WATCHED_AS[state].reason,
      })),
    ],
  };
}

function requireWindow(window: Window): void {
  if (windowLengthMs(window) <= 0) throw new ApiError('bad_body', 'end must be after start.');
  if (windowLengthMs(window) > WINDOW_MAX_MS) throw new ApiError('bad_body', 'A trial covers at most 24 hours.');
}

function requireBounds(zone: WatchedZone, window: Window): void {
  const [boxes, hours] = [historyBoxes(zone).length, hoursOf(window).length];
  if (boxes * hours > BOX_HOURS_MAX)
    throw new ApiError(
      'bad_body',
      `With its rules this zone takes ${boxes} boxes of ${HISTORY_MAX_SPAN_DEG}°, for ${hours} hours of the past. A trial reads at most ${BOX_HOURS_MAX} hours of boxes: try a smaller zone, or a shorter time.`,
    );
}

/**
 * The window to read is wider, for entries and holds up to nine minutes. It does not depend on the rules, so that new
 * settings cost nothing.
 */
function readWindow({ start, end }: Window): Window {
  return { start: addMs(start, FAR_APART_MS - LEAD_IN_MAX_MS), end: addMs(end, FAR_APART_MS) };
}

function gapsOf(gaps: readonly MergedGap[], layer: Layer): readonly UnwatchedWindow[] {
  return gaps
    .filter((gap) => gap.layer === layer)
    .map(({ start, end }) => ({ start: instantOf(start), end: instantOf(end), ...UNREAD }));
}

function impairedOf(impaired: readonly PastImpairment[], layer: Layer): readonly UnwatchedWindow[] {
  return impaired
    .filter((stretch) => stretch.layer === layer)
    .map(({ from, to, state }) => ({ start: from, end: to, ...WATCHED_AS[state] }));
}

async function evaluateInSlices(
  trial: Trial,
  { rules }: WatchedZone,
  observations: readonly Observation[],
  window: Window,
  gaps: (layer: Layer) => readonly UnwatchedWindow[],
  yielding: Yielding,
): Promise<void> {
  const layers = LAYERS.filter((layer) => rules.some((rule) => rule.layers.includes(layer)));
  let knownTo = window.start;
  const take = async (slice: readonly Observation[], next: UpstreamInstant) => {
    const known = { start: knownTo, end: next };
    const notes = layers.flatMap((layer) => pastNotes({ zoneId: ID, layer }, known, gaps(layer)));
    trial.take(slice, notes);
    knownTo = next;
    if (yielding.isDue) await yielding.next();
  };
  let slice: readonly Observation[] = [];
  for await (const next of inOrder(observations, window, yielding)) {
    if (slice.length > 0) await take(slice, (next[0] as Observation).position.observedAt);
    slice = next;
  }
  await take(slice, window.end);
}

/** The observations in slices by time. It sorts a minute at once. */
async function* inOrder(observations: readonly Observation[], window: Window, yielding: Yielding) {
  const minutes = new Map<number, Observation[]>();
  for (const observation of observations) {
    const { observedAt } = observation.position;
    if (observedAt < window.start || observedAt >= window.end) continue;
    const minute = Math.floor(epochMs(observedAt) / MINUTE_MS);
    const its = minutes.get(minute);
    if (its) its.push(observation);
    else minutes.set(minute, [observation]);
    if (yielding.isDue) await yielding.next();
  }
  for (const minute of [...minutes.keys()].sort((one, next) => one - next)) {
    const its = minutes.get(minute) ?? [];
    its.sort((one, next) => compareInstants(one.position.observedAt, next.position.observedAt));
    for (let from = 0; from < its.length; from += SLICE) yield its.slice(from, from + SLICE);
  }
}

function trialAlarm({ opened, last }: TriedAlarm): TrialAlarm {
  const isOver = last.type === 'ended';
  return {
    rule: Number(opened.rule),
    layer: opened.layer,
    track: opened.ref ?? null,
    other: opened.other ?? null,
    kind: opened.kind,
    opened_at: formatInstant(opened.at),
    state: isOver ? 'ended' : last.type === 'unknown' ? 'unknown' : 'open',
    ended_at: isOver ? formatInstant(last.at) : null,
    ended: (isOver ? last.end : undefined) ?? null,
    count: last.count,
    height_unknown: opened.heightUnknown,
    simulated: opened.simulated,
    test: opened.test,
    expected: last.expected,
  };
}

function countsOf(alarms: readonly TriedAlarm[]): ZoneTrial['count'] {
  return {
    alarms: alarms.length,
    expected: alarms.filter(({ last }) => last.expected).length,
    height_unknown: alarms.filter(({ opened }) => opened.heightUnknown).length,
  };
}
