'use client';

import 'maplibre-gl/dist/maplibre-gl.css';
import './map-view.css';
import { AttributionControl, Map as MapGl } from 'react-map-gl/maplibre';
import type { Camera } from '#lib/api/address-state.ts';
import { useRegionMap } from './region/use-region-map.ts';
import { useStartedMap } from './use-started-map.ts';

/** The ground of a printed map. */
export interface GroundPicture {
  /** A `data:` address. */
  readonly url: string;
  readonly attribution: string;
}

export interface PaperGroundProps {
  readonly view: Pick<Camera, 'lon' | 'lat' | 'zoom'>;
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  /** Called each time when more of the ground is drawn; never where the browser can draw no map. */
  readonly onDrawn: (ground: GroundPicture) => void;
}

/** Enough for 200 dots per inch in the width of a sheet. */
const PIXEL_RATIO = 1.5;
const ATTRIBUTION = '.maplibregl-ctrl-attrib-inner';
const ignored = () => undefined;

/**
 * Draws the ground for paper in a map of its own, in light colours whatever the page's theme is. It has no marks: those are
 * drawn over it as lines, which stay sharp.
 */
export function PaperGround({ view, width, height, onDrawn }: PaperGroundProps) {
  const { map, style, ref, onError } = useStartedMap({ mapStyleUrl: undefined, theme: 'light', onAbsent: ignored });
  useRegionMap(map, 'light', ignored);
  if (!style) return null;
  return (
    <div aria-hidden inert className="paper-ground" style={{ width, height }}>
      <MapGl
        initialViewState={{ longitude: view.lon, latitude: view.lat, zoom: view.zoom }}
        mapStyle={style}
        interactive={false}
        attributionControl={false}
        fadeDuration={0}
        pixelRatio={PIXEL_RATIO}
        trackResize={false}
        canvasContextAttributes={{ preserveDrawingBuffer: true }}
        ref={ref}
        onError={onError}
        onIdle={({ target }) =>
          onDrawn({
            url: target.getCanvas().toDataURL('image/jpeg', 0.92),
            attribution: target.getContainer().querySelector(ATTRIBUTION)?.textContent?.trim() ?? '',
          })
        }
      >
        <AttributionControl />
      </MapGl>
    </div>
  );
}
