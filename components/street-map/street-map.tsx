'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import type { StreetMapSize, StreetMapState } from '#lib/api/street-map.ts';
import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { STREET_MAP_HINT, streetMapCommand } from '#lib/client/page/region-map.ts';
import { askForStreetMap, cancelStreetMap, streetMapQuery } from '#lib/client/page/street-map-query.ts';
import { changeFailureMessage } from '#lib/client/request/refusal-message.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Popover } from '../ui/popover.tsx';

const RADIUS_KM = 60;

/** Each engine has its own names for the parts of a bar. */
const PROGRESS =
  'h-1.5 w-full appearance-none overflow-hidden rounded-full border-0 bg-raised [&::-webkit-progress-bar]:bg-raised [&::-webkit-progress-value]:bg-focus [&::-moz-progress-bar]:bg-focus';

/** How an admin installs a street map, in the settings and in a note on a map that has none: by a button, or a command. */
export function InstallStreetMap() {
  const { data: state, error } = useQuery(streetMapQuery());
  if (error) return <StreetMapCommand />;
  if (!state) return <p className="text-dim">Loading…</p>;
  if (state.source === null) return <StreetMapCommand />;
  return (
    <div className="flex flex-col gap-3">
      <FetchStreetMap state={state} />
      <details>
        <summary>By command</summary>
        <div className="pt-2">
          <StreetMapCommand />
        </div>
      </details>
    </div>
  );
}

function FetchStreetMap({ state }: { readonly state: StreetMapState }) {
  const { home } = useLookout();
  const { lat, lon } = useValue(home);
  const queries = useQueryClient();
  const [size, setSize] = useState<StreetMapSize>();
  const [problem, setProblem] = useState<string>();
  const [isWaiting, setWaiting] = useState(false);

  async function run(work: () => Promise<unknown>) {
    setWaiting(true);
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(changeFailureMessage(error));
    } finally {
      setWaiting(false);
      await queries.invalidateQueries(streetMapQuery());
    }
  }
  const ask = (fetch: boolean) => askForStreetMap({ lat, lon, radius_km: RADIUS_KM, fetch });

  if (state.state === 'fetching' && state.size) {
    const { bytes } = state.size;
    return (
      <div className="flex flex-col gap-2" data-testid="street-map-progress">
        <progress className={PROGRESS} aria-label="Street map" max={bytes} value={state.bytes_done} />
        <p role="status">
          {sizeText(state.bytes_done)} of {sizeText(bytes)}
        </p>
        <div>
          <Button disabled={isWaiting} onClick={() => void run(cancelStreetMap)}>
            Cancel
          </Button>
        </div>
      </div>
    );
  }
  if (state.state === 'done') {
    return (
      <div className="flex flex-col gap-2">
        <p role="status">The street map is installed.</p>
        <div>
          <Button look="primary" onClick={() => window.location.reload()}>
            Show it
          </Button>
        </div>
      </div>
    );
  }
  const failed = problem ?? state.problem;
  return (
    <div className="flex flex-col gap-2">
      <p className="text-dim">
        The built-in map has no roads, rivers from afar only, and coarse lakes. This adds {RADIUS_KM} km around home,
        cut from {hostOf(state.source)}. Nothing is downloaded before you say so.
      </p>
      {size && (
        <dl className="grid grid-cols-[auto_1fr] gap-x-3" data-testid="street-map-size">
          <dt className="text-dim">Size</dt>
          <dd>
            {sizeText(size.bytes)}, {size.requests} {size.requests === 1 ? 'request' : 'requests'}
          </dd>
          <dt className="text-dim">Source</dt>
          <dd className="[overflow-wrap:anywhere]">{size.source}</dd>
          <dt className="text-dim">Data</dt>
          <dd>{licenceText(size.attribution)}</dd>
        </dl>
      )}
      {state.state === 'cancelled' && <p role="status">Cancelled. Nothing was kept.</p>}
      {failed && (
        <p role="alert" className="text-bad">
          {failed}
        </p>
      )}
      <div>
        {size ? (
          <Button look="primary" disabled={isWaiting} onClick={() => void run(() => ask(true))}>
            {isWaiting ? 'Starting…' : `Fetch ${sizeText(size.bytes)}`}
          </Button>
        ) : (
          <Button disabled={isWaiting} onClick={() => void run(async () => setSize(await ask(false)))}>
            {isWaiting ? 'Checking…' : 'Check size'}
          </Button>
        )}
      </div>
    </div>
  );
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}

function hostOf(source: string | null): string {
  return /^https?:\/\/([^/]+)/.exec(source ?? '')?.[1] ?? 'the archive';
}

/** Every map with data of OpenStreetMap has this licence. */
function licenceText(attribution: string | null): string {
  if (attribution === null) return 'The archive names no owner';
  return attribution.includes('OpenStreetMap') ? `${attribution} (ODbL 1.0)` : attribution;
}

function StreetMapCommand() {
  const { mapView, server } = useLookout();
  const command = streetMapCommand(server.mapFetchCommand, useValue(mapView));
  return (
    <div className="flex flex-col gap-2">
      <p className="text-dim">
        Run this in Lookout’s folder on the server, with the date of a build from maps.protomaps.com/builds, and reload
        this page.
      </p>
      <code className="select-all rounded-control bg-raised p-2 text-caption [overflow-wrap:anywhere]">{command}</code>
      <div>
        <CopyButton text={command} label="Copy command" />
      </div>
    </div>
  );
}

/** The button on the map, until it is dismissed. */
export function NoStreetMap() {
  const [{ hintsSeen }, change] = usePreferences();
  return (
    <aside aria-label="Street map" data-testid="no-street-map" className="map-ground">
      <Popover
        label="Install a street map"
        side="top"
        trigger={
          <Button look="quiet" shape="small-text">
            Install a street map
          </Button>
        }
      >
        <h3 className="mb-1 font-semibold">No street map installed</h3>
        <InstallStreetMap />
      </Popover>
      <IconButton
        label="Dismiss"
        icon={<X />}
        look="quiet"
        shape="small-icon"
        onClick={() => change({ hintsSeen: [...hintsSeen, STREET_MAP_HINT] })}
      />
    </aside>
  );
}
