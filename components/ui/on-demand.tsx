'use client';

import { type ComponentType, useEffect, useState } from 'react';
import { Button } from './button.tsx';

/**
 * A component whose code is loaded when it is first rendered. Code that cannot be loaded, because the browser is offline or the server gone,
 * takes nothing else with it: that is said, with a way to try again, and it is tried again once the browser is online.
 * @param what its name, as the start of a sentence; `undefined` if the operator does not wait for it
 */
export function onDemand<Props extends object>(
  what: string | undefined,
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let Loaded: ComponentType<Props> | undefined;
  return function OnDemand(props: Props) {
    const [, setIsLoaded] = useState(Loaded !== undefined);
    const [hasFailed, setHasFailed] = useState(false);

    useEffect(() => {
      if (Loaded || hasFailed) return;
      let isGone = false;
      load().then(
        (component) => {
          Loaded = component;
          if (!isGone) setIsLoaded(true);
        },
        () => {
          if (!isGone) setHasFailed(true);
        },
      );
      return () => {
        isGone = true;
      };
    }, [hasFailed]);

    useEffect(() => {
      if (!hasFailed) return;
      const retry = () => setHasFailed(false);
      window.addEventListener('online', retry);
      return () => window.removeEventListener('online', retry);
    }, [hasFailed]);

    if (Loaded) return <Loaded {...props} />;
    if (!hasFailed || what === undefined) return null;
    return (
      <div role="alert" className="flex flex-wrap items-center gap-3 bg-surface p-3 text-bad">
        <p>{what} could not be loaded: no answer from Lookout’s own server.</p>
        <Button onClick={() => setHasFailed(false)}>Try again</Button>
      </div>
    );
  };
}
