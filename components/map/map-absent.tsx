'use client';

import { type ReactNode, useEffect, useRef } from 'react';
import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import type { MapAbsence } from '#lib/client/page/map-state.ts';
import { ReloadButton } from '../ui/reload-button.tsx';
import { AbsentMap } from './absent-map.ts';
import { absenceText, absentAreaText } from './absent-map-text.ts';
import { runMapCommand } from './run-map-command.ts';

/** Of a place without layout. */
const FIRST_SIZE = { width: 800, height: 600 };

/** In place of the map. */
export function MapAbsent({ absence }: { readonly absence: MapAbsence }) {
  const { sentence, remedy } = absenceText(absence);
  return (
    <section className="map-absent" data-testid="map-absent" aria-label="No map">
      <div className="flex max-w-[60ch] flex-col gap-2">
        <div role="status" className="flex flex-col gap-2">
          <p className="font-semibold">{sentence}</p>
          {remedy !== '' && <p>{remedy}</p>}
        </div>
        <AbsentArea absence={absence} />
        {absence.kind !== 'no-webgl2' && (
          <p>
            <ReloadButton />
          </p>
        )}
      </div>
    </section>
  );
}

/** Gives the page a view, which commands move, and says which. */
export function AbsentArea({ absence, children }: { readonly absence: MapAbsence; readonly children?: ReactNode }) {
  const { mapView } = useLookout();
  const [{ units }] = usePreferences();
  const ref = useRef<HTMLParagraphElement>(null);
  useAbsentMap(ref, absence);
  const { lon, lat, visible } = useValue(mapView);
  return (
    <p ref={ref} className="text-dim" data-testid="absent-area">
      {visible && absentAreaText({ lon, lat }, visible, units)}
      {children}
    </p>
  );
}

function useAbsentMap(ref: { readonly current: HTMLElement | null }, absence: MapAbsence): void {
  const lookout = useLookout();
  useEffect(() => {
    const { display, mapAbsence, mapCommands, mapShown, mapView } = lookout;
    const { focus } = lookout.selecting;
    // As large as the map would be.
    const place = ref.current?.closest('.stage') ?? undefined;
    const size = () => ({
      width: place?.clientWidth || FIRST_SIZE.width,
      height: place?.clientHeight || FIRST_SIZE.height,
    });
    const map = new AbsentMap(mapView.get(), size, mapView.set);
    mapShown.set(true);
    const follow = () => {
      const position = focus.get().following === 'on' ? display.summary().selected?.position : undefined;
      const { lng, lat } = map.getCenter();
      if (position && (position.lon !== lng || position.lat !== lat))
        map.jumpTo({ center: [position.lon, position.lat] });
    };
    const resized = new ResizeObserver(() => map.resize());
    if (place) resized.observe(place);
    const stops = [
      mapCommands.listen((command) => runMapCommand(map, command, lookout)),
      display.subscribe(follow),
      focus.subscribe(follow),
      () => resized.disconnect(),
      () => mapAbsence.set(undefined),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [lookout, ref]);
  useEffect(() => lookout.mapAbsence.set(absence), [lookout, absence]);
}
