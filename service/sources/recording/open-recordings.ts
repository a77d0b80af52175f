import type { Layer } from '#lib/contract/operation.ts';
import { compareInstants, type UpstreamInstant } from '#lib/time/instant.ts';
import type { ComputedSource, Observation } from '../observation.ts';
import { type LoadedRecording, loadRecording } from './load-recording.ts';
import { RecordingPlayback } from './recording-playback.ts';

export interface RecordingOptions {
  /** Gzipped JSON Lines files named `adsb-…` or `rid-…`. */
  readonly files: readonly string[];
  /** Time at which every recording is at its busiest. */
  readonly anchor: UpstreamInstant;
}

export interface OpenedRecordings {
  readonly source: ComputedSource;
  readonly loaded: readonly LoadedRecording[];
}

/** Rejects with a RecordingError for the first file that can't be played. */
export async function openRecordings({ files, anchor }: RecordingOptions): Promise<OpenedRecordings> {
  const loaded: LoadedRecording[] = [];
  // One at a time: unzipped text is many times the size of the columns.
  for (const file of new Set(files)) loaded.push(await loadRecording(file));
  return { source: playTogether(loaded.map(({ recording }) => new RecordingPlayback(recording, anchor))), loaded };
}

function playTogether(playbacks: readonly RecordingPlayback[]): ComputedSource {
  const ofLayer = (layer: Layer) => playbacks.filter(({ recording }) => recording.layer === layer);
  return {
    live: (layer, bbox, now) => ofLayer(layer).flatMap((playback) => playback.live(bbox, now)),
    history(layer, bbox, window, maxCount) {
      const found = ofLayer(layer).map((playback) => playback.history(bbox, window, maxCount + 1));
      const sorted = found.length === 1 ? found[0]! : found.flat().sort(byTime);
      return { observations: sorted.slice(0, maxCount), more: sorted.length > maxCount };
    },
  };
}

function byTime(a: Observation, b: Observation): number {
  return compareInstants(a.observedAt, b.observedAt);
}
