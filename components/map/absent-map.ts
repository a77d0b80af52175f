import type { Camera } from '#lib/api/address-state.ts';
import type { ViewState } from '#lib/client/page/map-state.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { MERCATOR_MAX_LAT_DEG } from '#lib/geo/mercator.ts';
import { cameraOf, type PixelSize, viewBox } from '#lib/geo/view-box.ts';
import { MAP_ZOOM } from '#lib/geo/zoom-limits.ts';
import type { CommandedMap, MovedTo } from './run-map-command.ts';

/** Where the map would be: it moves by the same commands, and shows nothing. */
export class AbsentMap implements CommandedMap {
  readonly #size: () => PixelSize;
  readonly #onView: (view: ViewState) => void;
  #camera: Camera;

  constructor({ lon, lat, zoom, bearingDeg }: Camera, size: () => PixelSize, onView: (view: ViewState) => void) {
    this.#size = size;
    this.#onView = onView;
    this.#camera = { lon, lat, zoom, bearingDeg };
    this.resize();
  }

  /** Its place has another size. */
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
