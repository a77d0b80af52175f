import 'server-only';
import { LRUCache } from 'lru-cache';
import { isApiError } from '#lib/api/error-code.ts';
import { isReception, type PastReason } from '#lib/api/layer-reason.ts';
import type { LiveRecord } from '#lib/api/live-answer.ts';
import type { HistoryQuery } from '#lib/api/query.ts';
import type { IncidentAnswer, TrackInside } from '#lib/api/watching/incidents.ts';
import { NO_FILTER } from '#lib/filter/track-filter.ts';
import { bboxesOverlap } from '#lib/geo/bbox.ts';
import { mergedUnwatched, type TrackSummary, TracksInside, type Unwatched, verdictOf } from '#lib/incidents/inside.ts';
import type { Layer } from '#lib/model/position.ts';
import { epochMs, instantOf, isoTime, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { groundOf } from '#lib/zones/ground.ts';
import { DatabaseFailure } from '../database/database-failure.ts';
import { pastItems } from '../export/export-items.ts';
import type { ReadPastOptions } from '../history/read-past.ts';
import type { RunPiece } from '../work/work.ts';
import { Yielding } from '../work/yielding.ts';
import type { IncidentQuestion } from './incident-rows.ts';

export type LoadPast = ReadPastOptions['load'];

/** Of one stretch of an incident: the tracks received inside, and the times of which nothing is known. */
type IncidentReading = ReadonlyMap<
  Layer,
  { readonly tracks: readonly TrackSummary[]; readonly notWatched: readonly Unwatched[] }
>;

export interface ReadOptions {
  readonly question: IncidentQuestion;
  readonly maxRequests: number | undefined;
  readonly load: LoadPast;
  readonly signal: AbortSignal;
  /** Of all positions in the area and around it, as they are read. */
  readonly onRecords?: (layer: Layer, records: readonly ReceivedInside[]) => Promise<void>;
}

type ReceivedInside = LiveRecord & { readonly isInside: boolean };

/** A stretch cut at full hours, of which each is read by itself. */
export function* hoursBetween(fromMs: number, toMs: number): Generator<readonly [fromMs: number, toMs: number]> {
  for (let startMs = fromMs; startMs < toMs; ) {
    const endMs = Math.min(toMs, Math.floor(startMs / HOUR_MS) * HOUR_MS + HOUR_MS);
    yield [startMs, endMs];
    startMs = endMs;
  }
}

/** Loads one after the other, which cost no more requests in all. @param maxRequests `undefined`: nothing limits them */
export function withinRequests(load: LoadPast, maxRequests: number | undefined): LoadPast {
  if (maxRequests === undefined) return load;
  let left = maxRequests;
  return async function* (query, stop) {
    for await (const event of load({ ...query, maxRequests: left }, stop)) {
      if (event.kind === 'line' && event.line.type === 'end')
        for (const layer of Object.values(event.line.layers)) left = Math.max(0, left - layer.requests);
      yield event;
    }
  };
}

/** Reads a stretch of the past. @throws ApiError where it cannot be loaded */
export async function readIncident(
  { question, maxRequests, load, signal, onRecords }: ReadOptions,
  fromMs: number,
  toMs: number,
): Promise<IncidentReading> {
  const { bbox, layers, shape, about } = question;
  const ground = groundOf(shape);
  const window = { start: upstreamInstant(fromMs), end: upstreamInstant(toMs) };
  const found = new Map(
    layers.map((layer) => [layer, { inside: new TracksInside(about), notWatched: [] as Unwatched[] }]),
  );
  const yielding = new Yielding(signal);
  const query = { bbox, layers, window, maxRequests } as HistoryQuery;
  for await (const item of pastItems(load(query, signal), { bbox, filter: NO_FILTER })) {
    const of = found.get(item.layer);
    if (!of) continue;
    if (item.kind === 'gap') {
      const { start, end } = item.window ?? {};
      if (start !== undefined && end !== undefined && bboxesOverlap(item.bbox, ground.bbox))
        of.notWatched.push({ fromMs: msOf(start), toMs: msOf(end), reason: item.reason });
      continue;
    }
    const records: ReceivedInside[] = [];
    for (const record of item.records) {
      const atMs = Date.parse(record.observed_at);
      if (atMs < fromMs || atMs >= toMs) continue;
      const isInside = ground.contains(record.longitude, record.latitude);
      if (isInside) of.inside.add(record, atMs);
      records.push({ ...record, isInside });
    }
    await onRecords?.(item.layer, records);
    if (yielding.isDue) await yielding.next();
  }
  return new Map(
    [...found].map(([layer, { inside, notWatched }]) => [
      layer,
      { tracks: inside.tracks, notWatched: mergedUnwatched(notWatched, fromMs, toMs) },
    ]),
  );
}

function msOf(instant: string): number {
  return epochMs(instantOf(instant));
}

/** Several readings as one. */
export function sumOfReadings(question: IncidentQuestion, readings: readonly IncidentReading[]): IncidentReading {
  return new Map(
    question.layers.map((layer) => {
      const inside = new TracksInside(question.about);
      for (const reading of readings) inside.addAll(reading.get(layer)?.tracks ?? []);
      const notWatched = readings.flatMap((reading) => reading.get(layer)?.notWatched ?? []);
      return [layer, { tracks: inside.tracks, notWatched: mergedUnwatched(notWatched, -Infinity, Infinity) }];
    }),
  );
}

export function answerOfReading(reading: IncidentReading, asOfMs: number): IncidentAnswer {
  const answer: IncidentAnswer = { as_of: isoTime(asOfMs), layers: {} };
  for (const [layer, { tracks, notWatched }] of reading)
    answer.layers[layer] = {
      verdict: verdictOf(tracks, notWatched),
      tracks: tracks.map(trackInside),
      not_watched: notWatched.map(({ fromMs, toMs, reason }) => ({
        from: isoTime(fromMs),
        to: isoTime(toMs),
        reason: reason as PastReason,
      })),
    };
  return answer;
}

export function trackInside({
  firstMs,
  lastMs,
  lowestAglM,
  lowestAltitudeM,
  nearestM,
  ...same
}: TrackSummary): TrackInside {
  return {
    ...same,
    first_at: isoTime(firstMs),
    last_at: isoTime(lastMs),
    lowest_m: lowestAglM ?? lowestAltitudeM,
    lowest_field: lowestAglM !== null ? 'height_agl_m' : lowestAltitudeM !== null ? 'altitude_m' : null,
    nearest_m: Math.round(nearestM),
  };
}

/** Hours of incidents that are remembered, of all incidents. */
const HOURS_MAX = 500;
/** The past is final after 30 s. */
const FINAL_MS = 90 * SECOND_MS;
/** Pages of all viewers share an answer so long. */
const SHARED_MS = 5 * SECOND_MS;

/** How one person's request reads, an hour after the other: each takes its turn among those of all. */
export interface IncidentAnswerOptions extends Omit<ReadOptions, 'onRecords'> {
  readonly runPiece: RunPiece;
}

/**
 * The answer of open incidents, as of now. All viewers share one reading; an hour that is complete is read once. A past that
 * would cost requests of an allowance is not read, and is reported as not known.
 */
export class IncidentAnswers {
  readonly #now: () => UpstreamInstant;
  readonly #hours = new LRUCache<string, IncidentReading>({ max: HOURS_MAX });
  readonly #answers = new LRUCache<string, { readonly atMs: number; readonly answer: Promise<IncidentAnswer> }>({
    max: HOURS_MAX,
  });

  constructor(now: () => UpstreamInstant) {
    this.#now = now;
  }

  /** @param key changes with the incident's question @throws ApiError where the past cannot be loaded */
  answer(key: string, options: IncidentAnswerOptions): Promise<IncidentAnswer> {
    const nowMs = epochMs(this.#now());
    const shared = this.#answers.get(key);
    // The viewer whose request reads it may leave.
    if (shared && nowMs - shared.atMs < SHARED_MS)
      return shared.answer.catch((error: unknown) => {
        if (isApiError(error) || error instanceof DatabaseFailure) throw error;
        options.signal.throwIfAborted();
        return this.answer(key, options);
      });
    const answer = this.#read(key, options, nowMs);
    this.#answers.set(key, { atMs: nowMs, answer });
    answer.catch(() => this.#answers.delete(key));
    return answer;
  }

  async #read(key: string, options: IncidentAnswerOptions, nowMs: number): Promise<IncidentAnswer> {
    const { question, runPiece, maxRequests } = options;
    const reads = { ...options, load: withinRequests(options.load, maxRequests) };
    const readings: IncidentReading[] = [];
    for (const [fromMs, toMs] of hoursBetween(question.fromMs, Math.min(question.toMs ?? nowMs, nowMs))) {
      const hourKey = `${key} ${fromMs} ${toMs}`;
      const known = this.#hours.get(hourKey);
      const reading = known ?? (await runPiece(() => readIncident(reads, fromMs, toMs)));
      if (!known && isFinal(reading, toMs, nowMs)) this.#hours.set(hourKey, reading);
      readings.push(reading);
    }
    return answerOfReading(sumOfReadings(question, readings), nowMs);
  }
}

/** An hour stays open while a later load may bring more; a missing receiver does not keep it open. */
function isFinal(reading: IncidentReading, toMs: number, nowMs: number): boolean {
  if (toMs > nowMs - FINAL_MS) return false;
  return [...reading.values()].every(({ notWatched }) => notWatched.every(({ reason }) => isReception(reason)));
}
