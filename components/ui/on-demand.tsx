'use client';

import { type ComponentType, useEffect, useState } from 'react';
import { backOffMs } from '#lib/async/back-off.ts';
import { Button } from './button.tsx';
import { NOT_LOADED, ReloadButton } from './failure.tsx';

const RETRY = { firstMs: 2000, maxMs: 60_000 };

/**
 * A component whose code is loaded on demand. A failure is retried after a while and once the browser is online.
 * @param what start of a sentence; `undefined` if the operator does not wait for it
 */
export function onDemand<Props extends object>(
  what: string | undefined,
  load: () => Promise<ComponentType<Props>>,
  Skeleton?: ComponentType<Props>,
): ComponentType<Props> {
  let Loaded: ComponentType<Props> | undefined;
  return function OnDemand(props: Props) {
    const [, setIsLoaded] = useState(Loaded !== undefined);
    const [failures, setFailures] = useState(0);
    const [attempt, setAttempt] = useState(0);
    const tryAgain = () => setAttempt((before) => before + 1);

    // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt loads it once more.
    useEffect(() => {
      if (Loaded) return;
      let isGone = false;
      load().then(
        (component) => {
          Loaded = component;
          if (!isGone) setIsLoaded(true);
        },
        () => {
          if (!isGone) setFailures((before) => before + 1);
        },
      );
      return () => {
        isGone = true;
      };
    }, [attempt]);

    // biome-ignore lint/correctness/useExhaustiveDependencies: what tries again is the same at each rendering.
    useEffect(() => {
      if (failures === 0) return;
      const timer = setTimeout(tryAgain, backOffMs(failures, RETRY));
      window.addEventListener('online', tryAgain);
      return () => {
        clearTimeout(timer);
        window.removeEventListener('online', tryAgain);
      };
    }, [failures]);

    if (Loaded) return <Loaded {...props} />;
    if (failures === 0 || what === undefined) return Skeleton ? <Skeleton {...props} /> : null;
    return (
      <div role="alert" className="flex flex-wrap items-center gap-3 bg-surface p-3 text-bad">
        <p>
          {what} {NOT_LOADED}
        </p>
        <Button onClick={tryAgain}>Try again</Button>
        <ReloadButton />
      </div>
    );
  };
}
