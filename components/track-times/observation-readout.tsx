import type { TrackHistory } from '#lib/client/replay/store/track-history.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { observationText } from './observation-text.ts';

export interface ObservationReadoutProps {
  readonly history: TrackHistory;
  /** Which observation is pointed at; `undefined`: none. */
  readonly index: number | undefined;
  readonly units: UnitSystem;
  readonly zone: ClockZone;
}

/** One line under the chart: what was received where the pointer is, or how to read the chart. */
export function ObservationReadout({ history, index, units, zone }: ObservationReadoutProps) {
  if (index === undefined) {
    const clock =
      zone === 'utc'
        ? 'UTC'
        : `local time,${clockText(upstreamInstant(history.observedAtMs[0] as number), zone).slice(8)}`;
    return <p className="truncate text-caption text-dim">Times in {clock}. Press or drag to go there.</p>;
  }
  const { time, vertical, speed } = observationText(history, index, units, zone);
  return (
    <p data-testid="track-chart-readout" className="truncate text-caption">
      <span className="font-mono font-semibold">{time}</span> · {vertical} · {speed}
    </p>
  );
}
