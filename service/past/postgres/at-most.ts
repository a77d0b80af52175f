/** Lets so many works run at a time; the others wait in line. */
export function atMost(count: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running < count) running += 1;
    else await new Promise<void>((next) => waiting.push(next));
    try {
      return await work();
    } finally {
      // Whoever is next takes this place.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
