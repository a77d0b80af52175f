import 'server-only';
import {
  Body,
  Equator,
  Horizon,
  HorizonFromVector,
  MakeTime,
  Observer,
  RotateVector,
  Rotation_EQJ_HOR,
  Spherical,
  VectorFromSphere,
} from 'astronomy-engine';
import type { SkyBody } from '#lib/api/watching/sightings.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';

const BODIES = [Body.Sun, Body.Moon, Body.Venus, Body.Jupiter, Body.Mars, Body.Saturn, Body.Mercury] as const;

/**
 * Stars brighter than magnitude 1.5: right ascension in hours and declination in degrees, of J2000 (Hipparcos,
 * ESA SP-1200). Their own motion since is below 0.02°.
 */
const STARS: readonly (readonly [name: string, rightAscensionH: number, declinationDeg: number])[] = [
  ['Sirius', 6.7525, -16.7161],
  ['Canopus', 6.3992, -52.6957],
  ['Alpha Centauri', 14.66, -60.8354],
  ['Arcturus', 14.261, 19.1824],
  ['Vega', 18.6156, 38.7837],
  ['Capella', 5.2782, 45.998],
  ['Rigel', 5.2423, -8.2016],
  ['Procyon', 7.655, 5.225],
  ['Achernar', 1.6286, -57.2368],
  ['Betelgeuse', 5.9195, 7.4071],
  ['Hadar', 14.0637, -60.373],
  ['Altair', 19.8464, 8.8683],
  ['Acrux', 12.4433, -63.0991],
  ['Aldebaran', 4.5987, 16.5093],
  ['Antares', 16.4901, -26.432],
  ['Spica', 13.4199, -11.1613],
  ['Pollux', 7.7553, 28.0262],
  ['Fomalhaut', 22.9608, -29.6222],
  ['Deneb', 20.6905, 45.2803],
  ['Mimosa', 12.7953, -59.6888],
  ['Regulus', 10.1395, 11.9672],
];

/**
 * The Sun, the Moon, bright planets and stars above the horizon, as seen from a place at sea level with refraction. In
 * degrees, the azimuth clockwise from true north. Satellites need elements that change daily.
 */
export function bodiesInSky(place: LonLat, atMs: number): readonly Omit<SkyBody, 'off_deg'>[] {
  const observer = new Observer(place.lat, place.lon, 0);
  const time = MakeTime(new Date(atMs));
  const rotation = Rotation_EQJ_HOR(time, observer);
  const near = BODIES.map((body) => {
    const { ra, dec } = Equator(body, time, observer, true, true);
    const { azimuth, altitude } = Horizon(time, observer, ra, dec, 'normal');
    return { body, azimuth_deg: azimuth, altitude_deg: altitude };
  });
  const stars = STARS.map(([body, rightAscensionH, declinationDeg]) => {
    const vector = VectorFromSphere(new Spherical(declinationDeg, rightAscensionH * 15, 1), time);
    const { lon, lat } = HorizonFromVector(RotateVector(rotation, vector), 'normal');
    return { body, azimuth_deg: lon, altitude_deg: lat };
  });
  return [...near, ...stars].filter(({ altitude_deg }) => altitude_deg > 0);
}
