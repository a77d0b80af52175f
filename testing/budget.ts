/** In `npm run test:long`. */
export const isLong = process.env.TEST_LONG === '1';

/** How often a long test repeats: a quarter by default, all of it in `npm run test:long`. */
export function runs(all: number): number {
  return isLong ? all : Math.ceil(all / 4);
}
