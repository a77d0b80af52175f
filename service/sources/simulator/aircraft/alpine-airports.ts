import type { AirportRow } from './airport-row.ts';

/** Around the place where Lookout opens: denser than the rest of the world. Source: see world-airports.ts. */
export const ALPINE_AIRPORTS = {
  alps: [
    ['LSZH', 8.5481, 47.4581, 432, 154, 'large'],
    ['LSGG', 6.109, 46.2381, 430, 45, 'large'],
    ['LFSB', 7.5292, 47.59, 270, 156, 'large'],
    ['LSZB', 7.4997, 46.9134, 509, 140, 'medium'],
    ['EDNY', 9.5115, 47.6713, 417, 60, 'medium'],
    ['LSZR', 9.5608, 47.485, 398, 95, 'medium'],
    ['LSZA', 8.9106, 46.0043, 279, 12, 'medium'],
    ['LSGS', 7.3269, 46.2192, 482, 70, 'medium'],
    ['LSZS', 9.8841, 46.5341, 1707, 30, 'medium'],
    ['LSZG', 7.4172, 47.1816, 430, 64, 'medium'],
    ['LSGC', 6.7928, 47.0839, 1027, 60, 'medium'],
    ['LSMP', 6.9151, 46.8432, 447, 50, 'medium'],
    ['LSME', 8.3052, 47.0924, 427, 40, 'medium'],
    ['LFLP', 6.1064, 45.9308, 464, 40, 'medium'],
    ['EDJA', 10.2395, 47.9888, 633, 60, 'medium'],
    ['LIMC', 8.7281, 45.6306, 234, 169, 'large'],
    ['LIME', 9.7042, 45.6739, 238, 103, 'large'],
  ],
  alpsSmall: [
    ['LSZF', 8.2336, 47.4436, 396, 80, 'small'],
    ['LSGN', 6.8647, 46.9575, 435, 50, 'small'],
    ['LSGE', 7.0761, 46.755, 699, 95, 'small'],
    ['LSZK', 8.7575, 47.3764, 533, 120, 'small'],
    ['LSZL', 8.8786, 46.1608, 198, 80, 'small'],
    ['LSZW', 7.6006, 46.7564, 560, 160, 'small'],
    ['LSZT', 9.0031, 47.5244, 469, 60, 'small'],
    ['LSGY', 6.6133, 46.7619, 433, 50, 'small'],
    ['LSGL', 6.6167, 46.5453, 622, 180, 'small'],
    ['LSZO', 8.2047, 47.19, 654, 150, 'small'],
    ['EDTD', 8.5222, 47.9733, 680, 178, 'small'],
    ['LFGA', 7.359, 48.1099, 191, 13, 'small'],
  ],
} satisfies Record<string, readonly AirportRow[]>;
