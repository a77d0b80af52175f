'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useState } from 'react';
import { NOTHING_DRAWN } from '#lib/client/area/drawing-state.ts';
import { NOTHING_MEASURED } from '#lib/client/measuring/measuring-state.ts';
import { drawnArea } from '#lib/client/page/drawn-area.ts';
import { useIsReplaying, useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import type { TrailOptions } from './trails/use-replay-trails.ts';

const DrawnPast = onDemand('What the map draws of a replay', () =>
  import('./drawn/drawn-past.tsx').then((past) => past.DrawnPast),
);
const DrawnArea = onDemand('The area on the map', () =>
  import('./drawn/drawn-area.tsx').then((area) => area.DrawnArea),
);
const DrawnMeasuring = onDemand('What the map draws of a measurement', () =>
  import('./drawn/drawn-measuring.tsx').then((measuring) => measuring.DrawnMeasuring),
);
const DrawnMyPosition = onDemand('My position on the map', () =>
  import('./drawn/drawn-my-position.tsx').then((mine) => mine.DrawnMyPosition),
);
const DrawnOverlays = onDemand('What the map draws of overlays', () =>
  import('./drawn/drawn-overlays.tsx').then((overlays) => overlays.DrawnOverlays),
);
const DrawnZones = onDemand('The zones on the map', () =>
  import('./drawn/drawn-zones.tsx').then((zones) => zones.DrawnZones),
);
const DrawnZoneDraft = onDemand('Drawing zones', () =>
  import('./drawn/drawn-zone-draft.tsx').then((draft) => draft.DrawnZoneDraft),
);
const DrawnAlarms = onDemand('Rings around alarms', () =>
  import('./drawn/drawn-alarms.tsx').then((alarms) => alarms.DrawnAlarms),
);
const DrawnCoverage = onDemand('Coverage on the map', () =>
  import('./drawn/drawn-coverage.tsx').then((coverage) => coverage.DrawnCoverage),
);

export interface DrawnFeaturesProps extends TrailOptions {
  readonly map: MapLibreMap;
  readonly hasMarks: boolean;
}

/**
 * Everything on the map except its ground and the tracks. Each part loads its code when it is first needed: overlays,
 * zones and alarms after the first marks, or once the map is idle without any.
 */
export function DrawnFeatures({ map, hasMarks, ...options }: DrawnFeaturesProps) {
  const { coverage, drawing, filter, measuring, myPosition, zones } = useLookout();
  const isReplaying = useIsReplaying();
  const isIdle = useIsIdle(map);
  const hasDraft = useValue(zones.draft) !== undefined;
  const hasPreview = useValue(zones.preview).length > 0;
  const isCoverageShown = useValue(coverage) !== undefined;
  const isDrawing = useValue(drawing) !== NOTHING_DRAWN;
  const hasArea = drawnArea(useValue(filter)) !== undefined;
  // These two stay once they were needed: removing them would end a press in the middle.
  const isAreaNeeded = useEver(hasArea || isDrawing);
  const isMeasuringNeeded = useEver(useValue(measuring.state) !== NOTHING_MEASURED);
  const isLocated = useValue(myPosition.state).kind === 'known';
  const shared = { map, theme: options.theme };
  return (
    <>
      {isReplaying && <DrawnPast map={map} {...options} />}
      {(hasMarks || isIdle) && (
        <>
          <DrawnOverlays {...shared} />
          <DrawnZones {...shared} />
          <DrawnAlarms {...shared} />
        </>
      )}
      {(hasDraft || hasPreview) && <DrawnZoneDraft {...shared} />}
      {isCoverageShown && <DrawnCoverage {...shared} />}
      {isAreaNeeded && <DrawnArea {...shared} />}
      {isMeasuringNeeded && <DrawnMeasuring {...shared} />}
      {isLocated && <DrawnMyPosition {...shared} />}
    </>
  );
}

function useIsIdle(map: MapLibreMap): boolean {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    const onIdle = () => setIdle(true);
    map.once('idle', onIdle);
    return () => {
      map.off('idle', onIdle);
    };
  }, [map]);
  return isIdle;
}

/** Whether it was true at any rendering. */
function useEver(isTrue: boolean): boolean {
  const [wasTrue, setWasTrue] = useState(isTrue);
  if (isTrue && !wasTrue) setWasTrue(true);
  return wasTrue;
}
