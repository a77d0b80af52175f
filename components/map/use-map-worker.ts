import { setWorkerUrl } from 'maplibre-gl';
import { useEffect, useState } from 'react';
import { retryUntilDone } from './basemap/patient-source.ts';

const WORKER_URL = new URL('maplibre-gl/dist/maplibre-gl-worker.mjs', import.meta.url).toString();
setWorkerUrl(WORKER_URL);

const LOST = 'The map could not be loaded: no answer from Lookout’s own server. Trying again.';
/** After an upgrade the server has other files. */
const GONE = 'The map could not be loaded: the server does not have this page’s version of it. Reload the page.';

/**
 * Whether the code of MapLibre's workers is cached: they never retry it.
 * @param onProblem without a message on success
 */
export function useMapWorker(onProblem: (problem: string | undefined) => void): boolean {
  const [isThere, setThere] = useState(false);
  useEffect(() => {
    const unmounted = new AbortController();
    const { signal } = unmounted;
    let isLost = false;
    const onFailure = (error: unknown) => {
      signal.throwIfAborted();
      isLost = true;
      onProblem(error instanceof MissingFile ? GONE : LOST);
    };
    retryUntilDone(() => read(signal), { onFailure }, signal).then(
      () => {
        setThere(true);
        if (isLost) onProblem(undefined);
      },
      // Unmounted.
      () => undefined,
    );
    return () => unmounted.abort();
  }, [onProblem]);
  return isThere;
}

class MissingFile extends Error {}

async function read(signal: AbortSignal): Promise<void> {
  const response = await fetch(WORKER_URL, { signal });
  if (response.status === 404) throw new MissingFile();
  if (!response.ok) throw new Error(`the map's worker answered ${response.status}`);
  await response.arrayBuffer();
}
