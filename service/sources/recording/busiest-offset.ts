import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { lifetimeMs } from '../observation.ts';
import { type Recording, spanMs } from './recording.ts';

/**
 * Offset of an instant at which the recording has the most to see: within the minute with the most tracks (the earliest
 * such), at a row, so that a position is fresh. Where the recording is longer than two hours, only instants with an hour of
 * it behind them are chosen, so that the past hour is one piece.
 */
export function busiestOffsetMs(recording: Recording): number {
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
  // The minute's last row: all of its tracks that report at least once a lifetime are still live there.
  const endMs = Math.min((busiest.minute + 1) * MINUTE_MS, busiest.minute * MINUTE_MS + lifetimeMs(recording.layer));
  return recording.offsetMs.findLast((offsetMs) => offsetMs < endMs) ?? 0;
}
