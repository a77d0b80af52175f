export interface Throttled {
  (): void;
  stop(): void;
}

/** Throttles with a trailing run: the last call is never lost. */
export function atMostEvery(ms: number, work: () => void): Throttled {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isPending = false;
  const run = () => {
    isPending = false;
    timer = setTimeout(() => {
      timer = undefined;
      if (isPending) run();
    }, ms);
    work();
  };
  const call = () => {
    if (timer === undefined) run();
    else isPending = true;
  };
  return Object.assign(call, { stop: () => clearTimeout(timer) });
}
