import type { AgePhase } from '#lib/model/ageing.ts';
import { altitudeRgb } from '#lib/model/altitude-colour.ts';
import { confidenceClass } from '#lib/model/confidence.ts';
import { emergencyClass } from '#lib/model/emergency.ts';
import type { Position } from '#lib/model/position.ts';
import { cssColour } from '../ui/css-colour.ts';
import { MarkIcon } from '../ui/mark-icon.tsx';

export interface TrackMarkProps {
  readonly position: Position;
  readonly phase: AgePhase;
  readonly sizePx: number;
}

/** A track's mark as it looks on the map. */
export function TrackMark({ position, phase, sizePx }: TrackMarkProps) {
  const { kind, altitudeM, heightAglM } = position;
  // As on the map: a drone's colour is its height above ground, never its altitude.
  const coloured = kind === 'drone' ? heightAglM : altitudeM;
  return (
    <MarkIcon
      kind={kind}
      heading={position.headingDeg}
      phase={phase === 'removed' ? 'coasted' : phase}
      simulated={position.simulated}
      test={position.testBroadcast}
      confidence={confidenceClass(position.confidence)}
      emergency={emergencyClass(position.emergencyState) === 'emergency'}
      colour={cssColour(altitudeRgb(kind, coloured ?? Number.NaN))}
      size={sizePx}
    />
  );
}
