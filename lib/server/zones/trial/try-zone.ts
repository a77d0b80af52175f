import 'server-only';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '#lib/api/error-code.ts';
import { LEAD_IN_MAX_MS } from '#lib/api/lead-in.ts';
import { TRIAL_ALARMS_MAX, type TrialAlarm, type TryZone, type ZoneTrial } from '#lib/api/watching/zone-trial.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { addMs, compareInstants, formatInstant, instantOf, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import { FAR_APART_MS } from '#lib/zones/evaluation/times.ts';
import type { Observation, WatchedZone } from '#lib/zones/evaluation/transition.ts';
import { WATCHED_AS } from '#lib/zones/stretches/watched-reception.ts';
import { pastNotes, Trial, type TriedAlarm, UNREAD, type UnwatchedWindow } from '#lib/zones/trial.ts';
import { acceptedContent } from '../accepted-content.ts';
import { loadZonePast, type PastGap, type PastUnheard, type ZonePastOptions } from '../zone-past.ts';

const WINDOW_MAX_MS = DAY_MS;
const POSITIONS_MAX = 200_000;
/** In about 20 ms. */
const SLICE = 5000;
const ID = 'tried';

export interface TryOptions extends Pick<ZonePastOptions, 'load'> {
  readonly signal: AbortSignal;
}

/** @throws ApiError for a zone that can't be watched, or a window that can't be loaded */
export async function tryZone(body: TryZone, { load, signal }: TryOptions): Promise<ZoneTrial> {
  const { shape, vertical, hours, permits, rules, start, end, max_requests } = body;
  requireWindow({ start, end });
  acceptedContent({ ...body, source: null, history_requests_a_day: 0 }, []);
  const numbered = rules.map((rule, index) => ({ ...rule, id: String(index) }));
  const zone: WatchedZone = { id: ID, revision: 1, shape, vertical, hours, permits, rules: numbered };
  const window = readWindow({ start, end });
  const past = await loadZonePast({
    ...{ zone, layers: LAYERS, window, maxRequests: max_requests, maxPositions: POSITIONS_MAX, load, signal },
  });
  const { observations, refusal, gaps, unheard } = past;
  if (refusal) throw refusal;
  const cutShort = observations.length > POSITIONS_MAX ? 'positions' : signal.aborted ? 'time' : null;
  const trial = new Trial(zone);
  // The load did not end: any time may be missing.
  const unread = cutShort ? [{ ...window, ...UNREAD }] : [];
  await evaluateInSlices(trial, zone, observations, window, (layer) => [
    ...unread,
    ...gapsOf(gaps, layer),
    ...unheardOf(unheard, layer),
  ]);
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
      ...unheard.map(({ layer, from, to, state }) => ({
        ...{ layer, from: formatInstant(from), to: formatInstant(to) },
        reason: WATCHED_AS[state].reason,
      })),
    ],
  };
}

function requireWindow(window: Window): void {
  if (windowLengthMs(window) <= 0) throw new ApiError('bad_body', 'end must be after start.');
  if (windowLengthMs(window) > WINDOW_MAX_MS) throw new ApiError('bad_body', 'A trial covers at most 24 hours.');
}

/** Wider, for entries and holds up to nine minutes. Independent of the rules, so that new settings cost nothing. */
function readWindow({ start, end }: Window): Window {
  return { start: addMs(start, FAR_APART_MS - LEAD_IN_MAX_MS), end: addMs(end, FAR_APART_MS) };
}

function gapsOf(gaps: readonly PastGap[], layer: Layer): readonly UnwatchedWindow[] {
  return gaps
    .filter((gap) => gap.layer === layer)
    .map(({ start, end }) => ({ start: instantOf(start), end: instantOf(end), ...UNREAD }));
}

function unheardOf(unheard: readonly PastUnheard[], layer: Layer): readonly UnwatchedWindow[] {
  return unheard
    .filter((stretch) => stretch.layer === layer)
    .map(({ from, to, state }) => ({ start: from, end: to, ...WATCHED_AS[state] }));
}

async function evaluateInSlices(
  trial: Trial,
  { rules }: WatchedZone,
  observations: readonly Observation[],
  window: Window,
  gaps: (layer: Layer) => readonly UnwatchedWindow[],
): Promise<void> {
  const layers = LAYERS.filter((layer) => rules.some((rule) => rule.layers.includes(layer)));
  const ordered = observations
    .filter(({ position: { observedAt } }) => observedAt >= window.start && observedAt < window.end)
    .sort((one, next) => compareInstants(one.position.observedAt, next.position.observedAt));
  let knownTo = window.start;
  for (let from = 0; from <= ordered.length; from += SLICE) {
    const next: UpstreamInstant = ordered[from + SLICE]?.position.observedAt ?? window.end;
    const slice = { start: knownTo, end: next };
    const notes = layers.flatMap((layer) => pastNotes({ zoneId: ID, layer }, slice, gaps(layer)));
    trial.take(ordered.slice(from, from + SLICE), notes);
    knownTo = next;
    await nextTurn();
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
