'use client';

import { type ReactNode, useEffect, useRef } from 'react';
import type { Camera } from '#lib/api/address-state.ts';
import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import type { MapAbsence, ViewState } from '#lib/client/page/page-map.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { MERCATOR_MAX_LAT_DEG } from '#lib/geo/mercator.ts';
import { cameraOf, type PixelSize, viewBox } from '#lib/geo/view-box.ts';
import { MAP_ZOOM } from '#lib/geo/zoom-limits.ts';
import { ReloadButton } from '../ui/failure.tsx';
import { absenceText, absentAreaText } from './absent-map-text.ts';
import { type CommandedMap, type MovedTo, runMapCommand } from './run-map-command.ts';

/** The size assumed where the page has no layout, as in tests. */
const FIRST_SIZE = { width: 800, height: 600 };

/** Takes the map's place: says why there is none, what helps, and which area the rest of the page shows. */
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
    // The view is as large as the map's would be.
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

/** Where the map would be: it moves by the same commands, and shows nothing. */
class AbsentMap implements CommandedMap {
  readonly #size: () => PixelSize;
  readonly #onView: (view: ViewState) => void;
  #camera: Camera;

  constructor({ lon, lat, zoom, bearingDeg }: Camera, size: () => PixelSize, onView: (view: ViewState) => void) {
    this.#size = size;
    this.#onView = onView;
    this.#camera = { lon, lat, zoom, bearingDeg };
    this.resize();
  }

  /** Publishes the view in its place's new size. */
  resize(): void {
    this.#onView({ ...this.#camera, visible: viewBox(this.#camera, this.#size()) });
  }

  getZoom(): number {
    return this.#camera.zoom;
  }

  getCenter(): { readonly lng: number; readonly lat: number } {
    return { lng: this.#camera.lon, lat: this.#camera.lat };
  }

  zoomTo(zoom: number): void {
    this.jumpTo({ zoom });
  }

  easeTo(to: MovedTo): void {
    this.jumpTo(to);
  }

  jumpTo({ center, zoom = this.#camera.zoom, bearing = this.#camera.bearingDeg }: MovedTo): void {
    const [lon, lat] = center ?? [this.#camera.lon, this.#camera.lat];
    this.#camera = {
      lon: wrapLongitude(lon),
      lat: Math.min(MERCATOR_MAX_LAT_DEG, Math.max(-MERCATOR_MAX_LAT_DEG, lat)),
      zoom: Math.min(MAP_ZOOM.max, Math.max(MAP_ZOOM.min, zoom)),
      bearingDeg: bearing,
    };
    this.resize();
  }

  fitBounds(
    [west, south, east, north]: [number, number, number, number],
    { padding, maxZoom = MAP_ZOOM.max }: { readonly padding: number; readonly maxZoom?: number },
  ): void {
    const { width, height } = this.#size();
    const inner = { width: width - 2 * padding, height: height - 2 * padding };
    const { lon, lat, zoom } = cameraOf({ west, south, east, north }, inner, maxZoom);
    this.jumpTo({ center: [lon, lat], zoom });
  }
}
