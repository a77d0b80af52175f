import { setImmediate as nextTurn } from 'node:timers/promises';

/** Turns of the event loop that others had while the work ran. */
export async function turnsDuring<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly turns: number; readonly result: Result }> {
  let [turns, isOver] = [0, false];
  const counting = (async () => {
    for (; !isOver; turns++) await nextTurn();
  })();
  try {
    const result = await work();
    return { result, turns };
  } finally {
    isOver = true;
    await counting;
  }
}
