import { signedDistancePx } from '#components/map/marks/mark-distance-field.ts';
import { markLook } from '#components/map/marks/mark-look.ts';
import { MARK_MEASURES, SMALL_MARK_MEASURES } from '#components/ui/marks/mark-measures.ts';
import { silhouette, silhouetteName } from '#components/ui/marks/silhouettes.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import type { Observation } from '#service/sources/observation.ts';
import { makeSimulator } from '#service/sources/simulator/simulator.ts';
import { coveredPart, type MarkArea } from './covered-part.ts';

const VIEW = { lat: 48, lon: 8, zoom: 5, widthPx: 1280, heightPx: 800 };
const EUROPE = { west: -6.1, south: 36, east: 22.1, north: 57.5 };
/** All over the world; about 2000 of them in the view. */
const FLEET = 6800;
const AIRCRAFT = 2000;
const WORLD_PX = 512 * 2 ** VIEW.zoom;

/** 2000 simulated aircraft in a view of Europe at zoom 5: the part of the marks' area that others cover, as silhouettes and as dots. */
export function coveredInEurope(): { aircraft: number; silhouettes: number; dots: number } {
  const simulator = makeSimulator({ seed: 1, aircraft: FLEET, drones: 0 });
  const seen = simulator.live('adsb', EUROPE, upstreamInstant(Date.UTC(2026, 10, 22, 12))).slice(0, AIRCRAFT);
  const { dotScale } = markLook(VIEW.zoom, 'normal');
  const covered = (areaOf: (observation: Observation) => MarkArea) =>
    Math.round(1000 * coveredPart(seen.map(areaOf), VIEW.widthPx, VIEW.heightPx)) / 1000;
  return { aircraft: seen.length, silhouettes: covered(silhouetteOf), dots: covered((one) => dotOf(one, dotScale)) };
}

function silhouetteOf(observation: Observation): MarkArea {
  const { outline } = silhouette(silhouetteName('aircraft', observation.headingDeg !== null));
  const linePx = MARK_MEASURES.gapPx + MARK_MEASURES.contourPx;
  return { ...turned(observation, (x, y) => signedDistancePx(outline, x, y) <= linePx), reachPx: 13 };
}

function dotOf(observation: Observation, scale: number): MarkArea {
  const { radiusPx, rimPx, tickPx, tickHalfPx } = SMALL_MARK_MEASURES;
  const tip = observation.headingDeg === null ? 0 : tickPx;
  const covers = (x: number, y: number) => {
    const tick = Math.max(Math.abs(x) - tickHalfPx, y, -y - tip);
    return Math.min(Math.hypot(x, y) - radiusPx, tick) <= rimPx;
  };
  const reachPx = (tickPx + rimPx) * scale;
  return { ...turned(observation, (x, y) => covers(x / scale, y / scale)), reachPx };
}

/** @param covers for a mark that heads north */
function turned({ lon, lat, headingDeg }: Observation, covers: MarkArea['covers']): Omit<MarkArea, 'reachPx'> {
  const heading = ((headingDeg ?? 0) * Math.PI) / 180;
  const [sine, cosine] = [Math.sin(heading), Math.cos(heading)];
  return {
    x: (mercatorX(lon) - mercatorX(VIEW.lon)) * WORLD_PX + VIEW.widthPx / 2,
    y: (mercatorY(lat) - mercatorY(VIEW.lat)) * WORLD_PX + VIEW.heightPx / 2,
    covers: (dx, dy) => covers(dx * cosine + dy * sine, dy * cosine - dx * sine),
  };
}
