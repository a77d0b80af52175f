import 'server-only';
import { LRUCache } from 'lru-cache';
import { isApiError } from '#lib/api/error-code.ts';
import { RECEPTIONS } from '#lib/api/layer-reason.ts';
import type { LiveRecord } from '#lib/api/live-answer.ts';
import type { HistoryQuery } from '#lib/api/query.ts';
import type { IncidentAnswer, LayerAnswer, TrackInside } from '#lib/api/watching/incidents.ts';
import { NO_FILTER } from '#lib/filter/track-filter.ts';
import { bboxesOverlap } from '#lib/geo/bbox.ts';
import { mergedUnwatched, type TrackSummary, TracksInside, type Unwatched, verdictOf } from '#lib/incidents/inside.ts';
import type { Layer } from '#lib/model/position.ts';
import { epochMs, formatInstant, instantOf, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { groundOf } from '#lib/zones/ground.ts';
import { DatabaseFailure } from '../database/database-failure.ts';
import { type ExportItem, pastItems } from '../export/export-items.ts';
import type { LoadEvent } from '../history/history-load.ts';
import { Yielding } from '../work/yielding.ts';
import type { IncidentQuestion } from './incident-rows.ts';

export type LoadPast = (query: HistoryQuery, signal: AbortSignal) => AsyncIterable<LoadEvent>;

/** One stretch of an incident: the tracks received inside, and the times of which nothing is known. */
export interface IncidentReading {
  readonly layers: ReadonlyMap<Layer, LayerReading>;
}

interface LayerReading {
  readonly tracks: readonly TrackSummary[];
  readonly notWatched: readonly Unwatched[];
}

export interface ReadOptions {
  readonly question: IncidentQuestion;
  readonly fromMs: number;
  readonly toMs: number;
  readonly maxRequests: number | undefined;
  readonly load: LoadPast;
  readonly signal: AbortSignal;
  /** Of all positions in the area and around it, as they are read. */
  readonly onRecords?: (layer: Layer, records: readonly ReceivedInside[]) => Promise<void>;
}

type ReceivedInside = LiveRecord & { readonly isInside: boolean };

/** Reads a stretch of the past. @throws ApiError where it cannot be loaded */
export async function readIncident({
  question,
  fromMs,
  toMs,
  maxRequests,
  load,
  signal,
  onRecords,
}: ReadOptions): Promise<IncidentReading> {
  const { bbox, layers, shape, about } = question;
  const ground = groundOf(shape);
  const window = { start: upstreamInstant(fromMs), end: upstreamInstant(toMs) };
  const found = new Map(
    layers.map((layer) => [layer, { inside: new TracksInside(about), notWatched: [] as Unwatched[] }]),
  );
  const yielding = new Yielding(signal);
  const take = async (item: ExportItem) => {
    const of = found.get(item.layer);
    if (!of) return;
    if (item.kind === 'gap') {
      if (item.window && bboxesOverlap(item.bbox, ground.bbox))
        of.notWatched.push(unwatchedOf(item.window, item.reason));
      return;
    }
    const records = item.records
      .filter(({ observed_at }) => isWithin(Date.parse(observed_at), fromMs, toMs))
      .map((record) => ({ ...record, isInside: ground.contains(record.longitude, record.latitude) }));
    for (const record of records) if (record.isInside) of.inside.add(insidePosition(record));
    await onRecords?.(item.layer, records);
    if (yielding.isDue) await yielding.next();
  };
  const query = { bbox, layers, window, maxRequests } as HistoryQuery;
  for await (const item of pastItems(load(query, signal), { bbox, filter: NO_FILTER })) await take(item);
  return {
    layers: new Map(
      [...found].map(([layer, { inside, notWatched }]) => [
        layer,
        { tracks: inside.tracks, notWatched: mergedUnwatched(notWatched, fromMs, toMs) },
      ]),
    ),
  };
}

function isWithin(atMs: number, fromMs: number, toMs: number): boolean {
  return atMs >= fromMs && atMs < toMs;
}

function unwatchedOf({ start, end }: { readonly start: string; readonly end: string }, reason: string): Unwatched {
  return { fromMs: epochMs(instantOf(start)), toMs: epochMs(instantOf(end)), reason };
}

function insidePosition(record: LiveRecord) {
  return {
    ref: record.public_track_id,
    atMs: Date.parse(record.observed_at),
    lon: record.longitude,
    lat: record.latitude,
    heightAglM: record.height_agl_m,
    altitudeM: record.altitude_m,
    simulated: record.simulated,
    test: record.test_broadcast,
  };
}

/** Several readings as one. */
export function sumOfReadings(question: IncidentQuestion, readings: readonly IncidentReading[]): IncidentReading {
  return {
    layers: new Map(
      question.layers.map((layer) => {
        const inside = new TracksInside(question.about);
        const notWatched: Unwatched[] = [];
        for (const { layers } of readings) {
          const of = layers.get(layer);
          inside.addAll(of?.tracks ?? []);
          notWatched.push(...(of?.notWatched ?? []));
        }
        return [layer, { tracks: inside.tracks, notWatched: mergedUnwatched(notWatched, -Infinity, Infinity) }];
      }),
    ),
  };
}

export function answerOfReading({ layers }: IncidentReading, asOf: UpstreamInstant): IncidentAnswer {
  const answer: IncidentAnswer = { as_of: formatInstant(asOf), layers: {} };
  for (const [layer, { tracks, notWatched }] of layers) {
    answer.layers[layer] = {
      verdict: verdictOf(tracks, notWatched),
      tracks: tracks.map(trackInside),
      not_watched: notWatched.map(({ fromMs, toMs, reason }) => ({
        from: text(fromMs),
        to: text(toMs),
        reason: reason as LayerAnswer['not_watched'][number]['reason'],
      })),
    };
  }
  return answer;
}

function trackInside({
  ref,
  firstMs,
  lastMs,
  lowestAglM,
  lowestAltitudeM,
  nearestM,
  positions,
  simulated,
  test,
}: TrackSummary): TrackInside {
  return {
    track: ref,
    first_at: text(firstMs),
    last_at: text(lastMs),
    lowest_m: lowestAglM ?? lowestAltitudeM,
    lowest_field: lowestAglM !== null ? 'height_agl_m' : lowestAltitudeM !== null ? 'altitude_m' : null,
    nearest_m: Math.round(nearestM),
    positions,
    simulated,
    test,
  };
}

function text(ms: number): string {
  return formatInstant(upstreamInstant(ms));
}

/** Hours of incidents that are remembered, of all incidents. */
const HOURS_MAX = 500;
/** The past is final after 30 s. */
const FINAL_MS = 90 * SECOND_MS;
/** Pages of all viewers share an answer so long. */
const SHARED_MS = 5 * SECOND_MS;

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
  answer(key: string, options: Omit<ReadOptions, 'fromMs' | 'toMs' | 'onRecords'>): Promise<IncidentAnswer> {
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

  async #read(
    key: string,
    options: Omit<ReadOptions, 'fromMs' | 'toMs' | 'onRecords'>,
    nowMs: number,
  ): Promise<IncidentAnswer> {
    const { question } = options;
    const untilMs = Math.min(question.toMs ?? nowMs, nowMs);
    const readings: IncidentReading[] = [];
    for (let fromMs = question.fromMs; fromMs < untilMs; ) {
      const toMs = Math.min(untilMs, Math.floor(fromMs / HOUR_MS) * HOUR_MS + HOUR_MS);
      const hourKey = `${key} ${fromMs} ${toMs}`;
      const known = this.#hours.get(hourKey);
      const reading = known ?? (await readIncident({ ...options, fromMs, toMs }));
      if (!known && isFinal(reading, toMs, nowMs)) this.#hours.set(hourKey, reading);
      readings.push(reading);
      fromMs = toMs;
    }
    return answerOfReading(sumOfReadings(question, readings), upstreamInstant(nowMs));
  }
}

/** An hour stays open while a later load may bring more; a missing receiver does not keep it open. */
function isFinal({ layers }: IncidentReading, toMs: number, nowMs: number): boolean {
  if (toMs > nowMs - FINAL_MS) return false;
  return [...layers.values()].every(({ notWatched }) => notWatched.every(({ reason }) => reason in RECEPTIONS));
}
