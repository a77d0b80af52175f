import type { Layer } from '#lib/contract/operation.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { compareInstants, epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { type ComputedSource, NOTHING_REPORTED, type Observation, ttlMs } from '../observation.ts';
import { type LoadedRecording, loadRecording, type Recording, spanMs } from './load-recording.ts';

interface RecordingOptions {
  /** Gzipped JSON Lines files named `adsb-…` or `rid-…`. */
  readonly files: readonly string[];
  /** The time at which every recording is at its busiest. */
  readonly anchor: UpstreamInstant;
}

interface OpenedRecordings {
  readonly source: ComputedSource;
  readonly loaded: readonly LoadedRecording[];
}

/**
 * A source that plays recordings together, each in an endless loop, also into the past. Nothing of it is marked as
 * received: every observation is `simulated`. Rejects with a RecordingError for the first file that can't be played.
 */
export async function openRecordings({ files, anchor }: RecordingOptions): Promise<OpenedRecordings> {
  const loaded: LoadedRecording[] = [];
  // Files are loaded one at a time: unzipped text is many times the size of the columns.
  for (const file of new Set(files)) loaded.push(await loadRecording(file));
  return { source: playTogether(loaded.map(({ recording }) => new RecordingPlayback(recording, anchor))), loaded };
}

function playTogether(playbacks: readonly RecordingPlayback[]): ComputedSource {
  const ofLayer = (layer: Layer) => playbacks.filter(({ recording }) => recording.layer === layer);
  return {
    live: (layer, bbox, now) => ofLayer(layer).flatMap((playback) => playback.live(bbox, now)),
    history(layer, bbox, window, maxCount) {
      const found = ofLayer(layer).map((playback) => playback.history(bbox, window, maxCount + 1));
      const sorted =
        found.length === 1 ? found[0]! : found.flat().sort((a, b) => compareInstants(a.observedAt, b.observedAt));
      return { observations: sorted.slice(0, maxCount), more: sorted.length > maxCount };
    },
  };
}

/**
 * An endless loop, also into the past, at its busiest at `anchor`. Loops are one time to live apart, so that positions
 * expire between them, and have their own source ids.
 */
class RecordingPlayback {
  readonly recording: Recording;
  readonly #loopZeroStartsMs: number;
  readonly #periodMs: number;

  constructor(recording: Recording, anchor: UpstreamInstant) {
    this.recording = recording;
    this.#loopZeroStartsMs = epochMs(anchor) - busiestOffsetMs(recording);
    this.#periodMs = spanMs(recording) + ttlMs(recording.layer);
  }

  live(bbox: Bbox, now: UpstreamInstant): Observation[] {
    const { trackStart, rowsByTrack, offsetMs, lon, lat, layer, trackIds } = this.recording;
    const loop = this.#loopAt(now);
    const elapsedMs = epochMs(now) - this.#startOf(loop);
    const observations: Observation[] = [];
    for (let track = 0; track < trackIds.length; track += 1) {
      const first = trackStart[track]!;
      const after = firstIndex(first, trackStart[track + 1]!, (index) => offsetMs[rowsByTrack[index]!]! > elapsedMs);
      if (after === first) continue;
      const row = rowsByTrack[after - 1]!;
      if (elapsedMs >= offsetMs[row]! + ttlMs(layer)) continue;
      if (bboxContains(bbox, lon[row]!, lat[row]!)) observations.push(this.#observation(row, loop));
    }
    return observations;
  }

  /** The first `maxCount`, sorted by time. */
  history(bbox: Bbox, window: Window, maxCount: number): Observation[] {
    const { offsetMs, lon, lat, rowCount } = this.recording;
    const observations: Observation[] = [];
    for (let loop = this.#loopAt(window.start); this.#startOf(loop) < epochMs(window.end); loop += 1) {
      const startMs = epochMs(window.start) - this.#startOf(loop);
      const endMs = epochMs(window.end) - this.#startOf(loop);
      for (let row = firstIndex(0, rowCount, (index) => offsetMs[index]! >= startMs); row < rowCount; row += 1) {
        if (offsetMs[row]! >= endMs) break;
        if (!bboxContains(bbox, lon[row]!, lat[row]!)) continue;
        if (observations.length === maxCount) return observations;
        observations.push(this.#observation(row, loop));
      }
    }
    return observations;
  }

  #loopAt(at: UpstreamInstant): number {
    return Math.floor((epochMs(at) - this.#loopZeroStartsMs) / this.#periodMs);
  }

  #startOf(loop: number): number {
    return this.#loopZeroStartsMs + loop * this.#periodMs;
  }

  #observation(row: number, loop: number): Observation {
    const { name, layer, trackIds, track, offsetMs, lon, lat, ...columns } = this.recording;
    return {
      sourceId: `${name}/${loop}/${trackIds[track[row]!]!}`,
      layer,
      observedAt: upstreamInstant(this.#startOf(loop) + offsetMs[row]!),
      lon: lon[row]!,
      lat: lat[row]!,
      ...NOTHING_REPORTED,
      altitudeM: nullWhenNaN(columns.altitudeM[row]!),
      heightAglM: nullWhenNaN(columns.heightAglM[row]!),
      speedMps: nullWhenNaN(columns.speedMps[row]!),
      headingDeg: nullWhenNaN(columns.headingDeg[row]!),
      // Positions are played back, so they are not received now.
      simulated: true,
      testBroadcast: false,
    };
  }
}

function nullWhenNaN(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

/** The first index in [from, to) for which the monotonic `predicate` is true. */
function firstIndex(from: number, to: number, predicate: (index: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (predicate(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The first minute with the most tracks. In recordings above two hours, after the first hour, so that the past hour has
 * no loop boundary.
 */
function busiestOffsetMs(recording: Recording): number {
  const earliestMs = spanMs(recording) > 2 * HOUR_MS ? HOUR_MS : 0;
  const tracksInMinute = new Map<number, Set<number>>();
  for (let row = 0; row < recording.rowCount; row += 1) {
    if (recording.offsetMs[row]! < earliestMs) continue;
    const minute = Math.floor(recording.offsetMs[row]! / MINUTE_MS);
    const tracks = tracksInMinute.get(minute);
    if (tracks) tracks.add(recording.track[row]!);
    else tracksInMinute.set(minute, new Set([recording.track[row]!]));
  }
  let busiest = { minute: 0, count: 0 };
  for (const [minute, { size }] of tracksInMinute) {
    if (size > busiest.count) busiest = { minute, count: size };
  }
  // The minute's last row: tracks that report once per time to live are still live there.
  const endMs = Math.min((busiest.minute + 1) * MINUTE_MS, busiest.minute * MINUTE_MS + ttlMs(recording.layer));
  return recording.offsetMs.findLast((offsetMs) => offsetMs < endMs) ?? 0;
}
