import type { DisplaySummary, SelectedTrack } from '#lib/client/display/display-summary.ts';
import { useDisplay, useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { type AgePhase, agePhase } from '#lib/model/ageing.ts';
import { CONFIDENCE_CLASSES, confidenceClass } from '#lib/model/confidence.ts';
import { emergencyClass } from '#lib/model/emergency.ts';
import { type Colouring, markRgb } from '#lib/model/mark-colour.ts';
import { LAYERS, type Position } from '#lib/model/position.ts';
import { epochMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { themedColour } from '../ui/light-dark.ts';
import { MarkIcon } from '../ui/marks/mark-icon.tsx';
import { Tag } from '../ui/marks/tag.tsx';

export interface TrackMarkProps {
  readonly position: Position;
  readonly phase: AgePhase;
  readonly sizePx: number;
  readonly ageS: number;
}

export function TrackMark({ position, phase, sizePx, ageS }: TrackMarkProps) {
  const colouring = useValue(useLookout().colouring);
  const hasOthers = useDisplay(showsOthers);
  const { kind } = position;
  return (
    <MarkIcon
      kind={kind}
      heading={position.headingDeg}
      phase={phase === 'removed' ? 'expired' : phase}
      striped={position.simulated && hasOthers}
      test={position.testBroadcast}
      emergency={emergencyClass(position.emergencyState) === 'emergency'}
      colour={themedColour((theme) =>
        markRgb(colouring, kind, positionValue(colouring, position, ageS) ?? Number.NaN, theme),
      )}
      size={sizePx}
    />
  );
}

export function SelectedMark({ track, shownAt, sizePx }: SelectedMarkProps) {
  const { position, expiresAt, gone } = track;
  const { observedAt, kind } = position;
  const phase = gone ? 'removed' : agePhase(epochMs(observedAt), epochMs(expiresAt), kind, epochMs(shownAt));
  return (
    <TrackMark position={position} phase={phase} sizePx={sizePx} ageS={msBetween(observedAt, shownAt) / SECOND_MS} />
  );
}

interface SelectedMarkProps {
  readonly track: SelectedTrack;
  readonly shownAt: UpstreamInstant;
  readonly sizePx: number;
}

function showsOthers({ filtered: { shownOf } }: DisplaySummary): boolean {
  return LAYERS.some((layer) => {
    const { current, expired } = shownOf[layer];
    return current.real + current.test + expired.real + expired.test > 0;
  });
}

function positionValue(colouring: Colouring, position: Position, ageS: number): number | undefined {
  switch (colouring) {
    case 'altitude':
      return position.kind === 'drone' ? position.heightAglM : position.altitudeM;
    case 'height':
      return position.heightAglM;
    case 'speed':
      return position.speedMps;
    case 'age':
      return ageS;
    case 'confidence':
      return CONFIDENCE_CLASSES.indexOf(confidenceClass(position.confidence));
    case 'kind':
      return undefined;
  }
}

export function TrackTags({ position }: { readonly position: Position }) {
  return (
    <>
      {position.simulated && <Tag text="SIM" />}
      {position.testBroadcast && <Tag text="TEST" />}
    </>
  );
}
