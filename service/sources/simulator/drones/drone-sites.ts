import type { LonLat } from '#lib/geo/great-circle.ts';

export interface DroneSite extends LonLat {
  readonly elevationM: number;
}

/** Longitude, latitude (WGS84 degrees) and approximate elevation (m) of a town's centre. */
type SiteRow = readonly [name: string, lon: number, lat: number, elevationM: number];

const SITE_TABLE = {
  alps: [
    ['Zürich', 8.5417, 47.3769, 408],
    ['Bern', 7.4474, 46.948, 540],
    ['Genève', 6.1432, 46.2044, 375],
    ['Basel', 7.5886, 47.5596, 260],
    ['Luzern', 8.3093, 47.0502, 435],
    ['Winterthur', 8.7237, 47.4988, 440],
    ['Lausanne', 6.6323, 46.5197, 495],
    ['St. Gallen', 9.3767, 47.4245, 670],
    ['Lugano', 8.9511, 46.0037, 273],
    ['Biel', 7.2468, 47.1368, 434],
    ['Thun', 7.628, 46.758, 560],
    ['Chur', 9.5329, 46.8499, 593],
    ['Fribourg', 7.162, 46.8065, 610],
    ['Schaffhausen', 8.6317, 47.6979, 403],
    ['Sion', 7.3606, 46.2331, 515],
    ['Neuchâtel', 6.9293, 46.99, 440],
    ['Zug', 8.5155, 47.1662, 425],
    ['Freiburg im Breisgau', 7.8421, 47.999, 278],
    ['Konstanz', 9.1753, 47.6633, 405],
    ['Mulhouse', 7.3359, 47.7508, 240],
  ],
  // On both sides of 180°; the meridian runs through Waiyevo.
  dateline: [
    ['Waiyevo, Taveuni', 179.996, -16.79, 20],
    ['Matei, Taveuni', -179.877, -16.69, 21],
    ['Buca Bay, Vanua Levu', 179.85, -16.65, 15],
    ['Adak', -176.65, 51.88, 18],
    ['Nadi', 177.42, -17.8, 15],
    ['Egvekinot', -179.12, 66.32, 25],
  ],
  world: [
    ['London', -0.1276, 51.5072, 11],
    ['New York', -74.006, 40.7128, 10],
    ['Tokyo', 139.6503, 35.6762, 40],
    ['Paris', 2.3522, 48.8566, 35],
    ['Nairobi', 36.8219, -1.2921, 1795],
    ['Sydney', 151.2093, -33.8688, 20],
    ['San Francisco', -122.4194, 37.7749, 16],
    ['Longyearbyen', 15.6267, 78.2232, 10],
    ['São Paulo', -46.6333, -23.5505, 760],
    ['Shenzhen', 114.0579, 22.5431, 20],
    ['Berlin', 13.405, 52.52, 34],
    ['Auckland', 174.7645, -36.8509, 40],
    ['Delhi', 77.209, 28.6139, 216],
    ['Chicago', -87.6298, 41.8781, 181],
    ['Madrid', -3.7038, 40.4168, 657],
    ['Honolulu', -157.8583, 21.3069, 6],
    ['Cape Town', 18.4241, -33.9249, 25],
    ['Seoul', 126.978, 37.5665, 38],
    ['Anchorage', -149.9003, 61.2181, 31],
    ['Roma', 12.4964, 41.9028, 21],
    ['Santiago', -70.6693, -33.4489, 570],
    ['Dubai', 55.2708, 25.2048, 5],
    ['Stockholm', 18.0686, 59.3293, 28],
    ['Denver', -104.9903, 39.7392, 1609],
    ['Singapore', 103.8198, 1.3521, 15],
    ['Wien', 16.3738, 48.2082, 171],
    ['Kigali', 30.0619, -1.9441, 1567],
    ['Dallas', -96.797, 32.7767, 131],
    ['Warszawa', 21.0122, 52.2297, 100],
    ['Melbourne', 144.9631, -37.8136, 31],
    ['Reykjavík', -21.9426, 64.1466, 15],
    ['Bogotá', -74.0721, 4.711, 2640],
    ['Bengaluru', 77.5946, 12.9716, 920],
    ['Toronto', -79.3832, 43.6532, 76],
    ['Istanbul', 28.9784, 41.0082, 40],
    ['Ross Island', 166.676, -77.846, 24],
    ['Accra', -0.187, 5.6037, 61],
    ['Seattle', -122.3321, 47.6062, 50],
    ['Tromsø', 18.9553, 69.6492, 10],
    ['Los Angeles', -118.2437, 34.0522, 90],
    ['Oslo', 10.7522, 59.9139, 23],
    ['Ciudad de México', -99.1332, 19.4326, 2240],
    ['Cairo', 31.2357, 30.0444, 23],
    ['Miami', -80.1918, 25.7617, 2],
  ],
} satisfies Record<string, SiteRow[]>;

export type SiteGroup = keyof typeof SITE_TABLE;

const asSites = (rows: readonly SiteRow[]): readonly DroneSite[] =>
  rows.map(([, lon, lat, elevationM]) => ({ lon, lat, elevationM }));

export const DRONE_SITES: Readonly<Record<SiteGroup, readonly DroneSite[]>> = {
  alps: asSites(SITE_TABLE.alps),
  dateline: asSites(SITE_TABLE.dateline),
  world: asSites(SITE_TABLE.world),
};
