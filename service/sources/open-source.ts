import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { ComputedSource } from './observation.ts';
import { openRecordings } from './recording/open-recordings.ts';
import { makeSimulator } from './simulator/simulator.ts';

export type SourceChoice =
  | { readonly kind: 'simulator'; readonly seed: number; readonly aircraft: number; readonly drones: number }
  | { readonly kind: 'recording'; readonly files: readonly string[] };

/**
 * Opens a source that needs no receiver: the simulator or recordings. It rejects with a `RecordingError` for a file that
 * can't be played.
 */
export async function openSource(
  choice: SourceChoice,
  now: UpstreamInstant,
  log: (entry: string) => void,
): Promise<ComputedSource> {
  if (choice.kind === 'simulator') return makeSimulator(choice);
  const { source, loaded } = await openRecordings({ files: choice.files, anchor: now });
  for (const { recording, isCut, badValues, badLines, linesWithoutPosition } of loaded) {
    log(
      `${recording.name}: ${recording.rowCount} positions of ${recording.trackIds.length} tracks; ` +
        `${badLines} unreadable lines, ${linesWithoutPosition} lines without a position` +
        (badValues === 0 ? '' : `, ${badValues} values not used`) +
        (isCut ? '. The gzipped data ends too early: its end is missing' : ''),
    );
  }
  return source;
}
