export interface ViewOnScreen {
  readonly lat: number;
  readonly lon: number;
  readonly zoom: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** MapLibre's world at zoom 0. */
const WORLD_PX = 512;

/** CSS pixels right and down, without the code under test, for the nearest world copy. */
export function offsetFromMiddle(view: ViewOnScreen, place: { readonly lat: number; readonly lon: number }): Point {
  const scalePx = WORLD_PX * 2 ** view.zoom;
  let lonDeg = place.lon - view.lon;
  lonDeg -= Math.round(lonDeg / 360) * 360;
  return { x: (lonDeg / 360) * scalePx, y: (mercatorY(place.lat) - mercatorY(view.lat)) * scalePx };
}

function mercatorY(latDeg: number): number {
  const lat = (latDeg * Math.PI) / 180;
  return 0.5 - Math.log(Math.tan(Math.PI / 4 + lat / 2)) / (2 * Math.PI);
}
