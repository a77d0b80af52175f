export interface Paced {
  /** Asks for the work: done at once where the last time is long enough ago, otherwise as soon as it is. */
  (): void;
  /** What was put off is not done any more. */
  stop(): void;
}

/** Work that follows something which changes with every frame, and need not be done as often; what changed last is never missed. */
export function atMostEvery(ms: number, work: () => void): Paced {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAskedAgain = false;
  const run = () => {
    isAskedAgain = false;
    timer = setTimeout(() => {
      timer = undefined;
      if (isAskedAgain) run();
    }, ms);
    work();
  };
  const ask = () => {
    if (timer === undefined) run();
    else isAskedAgain = true;
  };
  return Object.assign(ask, { stop: () => clearTimeout(timer) });
}
