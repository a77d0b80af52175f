import { makeDice } from '#lib/random/dice.fixture.ts';

const dice = makeDice(Number(process.env.TEST_SEED ?? Date.now()));

/** In `npm run test:long`. */
export const isLong = process.env.TEST_LONG === '1';

/** A quarter of the cases by default: the first one, and others that differ from run to run. All of them in a long run. */
export function some<Case>(all: readonly Case[]): readonly Case[] {
  const drawn = new Set([0]);
  while (drawn.size < runs(all.length)) drawn.add(dice.integer(0, all.length - 1));
  return all.filter((_, index) => drawn.has(index));
}

/** How often a long test repeats: a quarter by default, all of it in `npm run test:long`. */
export function runs(all: number): number {
  return isLong ? all : Math.ceil(all / 4);
}
