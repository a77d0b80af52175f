'use client';

import { addProtocol, type Map as MapLibreMap, type StyleSpecification, setWorkerUrl } from 'maplibre-gl';
import { PMTiles, Protocol } from 'pmtiles';
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { MapRef } from 'react-map-gl/maplibre';
import type { MapAbsence } from '#lib/client/page/page-map.ts';
import { reportPageError } from '#lib/client/page-errors/page-errors.ts';
import { NO_ANSWER } from '#lib/client/request/refusal-message.ts';
import { AIRPORTS_ARCHIVE_PATH } from './basemap/airport-tileset.ts';
import type { BasemapTheme } from './basemap/basemap-palette.ts';
import { basemapStyle } from './basemap/basemap-style.ts';
import { BASEMAP_ARCHIVE_PATH } from './basemap/basemap-tileset.ts';
import { PatientSource, retryUntilDone } from './basemap/patient-source.ts';

const protocol = new Protocol();
for (const path of [BASEMAP_ARCHIVE_PATH, AIRPORTS_ARCHIVE_PATH]) protocol.add(new PMTiles(new PatientSource(path)));
addProtocol('pmtiles', protocol.tile);

const WORKER_URL = new URL('maplibre-gl/dist/maplibre-gl-worker.mjs', import.meta.url).toString();
setWorkerUrl(WORKER_URL);

const WORKER_LOST = `The map could not be loaded: ${NO_ANSWER}. Trying again.`;
/** After an upgrade the server has other files. */
const WORKER_GONE = 'The map could not be loaded: the server does not have this page’s version of it. Reload the page.';

export interface MapStart {
  readonly mapStyleUrl: string | undefined;
  /** The first theme is the style's; callers recolour the map with later ones. */
  readonly theme: BasemapTheme;
  /** Called with a map that has its size, before it has a style. */
  readonly onCreated?: (map: MapLibreMap) => void;
  /** Called with each new style, also with one that MapLibre reloads after a lost graphics context. */
  readonly onStyle?: (map: MapLibreMap) => void;
  /** Called if this browser can draw no map. */
  readonly onAbsent: (absence: MapAbsence) => void;
}

export interface StartedMap {
  /** The style for MapLibre's component: `undefined` until there is all that it needs to begin. */
  readonly style: StyleSpecification | undefined;
  /** The map; `undefined` until it has a style: layers can be added from then on. */
  readonly map: MapLibreMap | undefined;
  /** Why there is no map yet; `undefined` while nothing has failed. */
  readonly problem: string | undefined;
  readonly ref: (created: MapRef | null) => void;
  readonly onError: (event: { readonly error: unknown }) => void;
  readonly onLoad: (event: { readonly target: MapLibreMap }) => void;
}

/**
 * Starts a map: gets its style and the code of MapLibre's workers, and distinguishes a map that comes late from a browser
 * that cannot draw one. It adds no layers: that is up to its callers, once there is a style.
 */
export function useStartedMap({ mapStyleUrl, theme, onCreated, onStyle, onAbsent }: MapStart): StartedMap {
  const [firstTheme] = useState(theme);
  const [map, setMap] = useState<MapLibreMap>();
  const { style, problem: styleProblem } = useMapStyle(mapStyleUrl, firstTheme);
  const { isCached, problem: workerProblem } = useWorkerCode();
  const isCreated = useRef(false);

  const whenCreated = useEffectEvent((target: MapLibreMap) => onCreated?.(target));
  const whenStyled = useEffectEvent((target: MapLibreMap) => onStyle?.(target));
  const ref = useCallback((created: MapRef | null) => {
    if (!created) return;
    isCreated.current = true;
    const target = created.getMap();
    const takeStyle = () => {
      whenStyled(target);
      setMap(target);
    };
    target.on('style.load', takeStyle);
    // The style is already loaded if the browser drew a frame in between.
    if (hasStyle(target)) takeStyle();
    whenCreated(target);
  }, []);

  const onError = ({ error }: { readonly error: unknown }) => {
    // MapLibre's events of failed tiles and sources come here too, once there is a map.
    if (isCreated.current) return;
    const draws = drawsWebgl2();
    if (draws) reportPageError('part', error);
    onAbsent({ kind: draws ? 'failed' : 'no-webgl2' });
  };

  return {
    style: isCached ? style : undefined,
    map,
    problem: styleProblem ?? workerProblem,
    ref,
    onError,
    onLoad: collapseAttribution,
  };
}

/** Call this after a failure only, since a graphics context is expensive. */
function drawsWebgl2(): boolean {
  try {
    const context = document.createElement('canvas').getContext('webgl2');
    context?.getExtension('WEBGL_lose_context')?.loseContext();
    return context !== null;
  } catch {
    return false;
  }
}

/** Whether the map has a style. Before, it serialises to nothing, whatever its type says. */
function hasStyle(map: MapLibreMap): boolean {
  const style: StyleSpecification | undefined = map.getStyle();
  return style !== undefined;
}

/** MapLibre expands the attribution until the map moves. */
function collapseAttribution({ target }: { readonly target: MapLibreMap }): void {
  target.getContainer().querySelector('.maplibregl-ctrl-attrib')?.classList.remove('maplibregl-compact-show');
}

function useMapStyle(styleUrl: string | undefined, theme: BasemapTheme) {
  const [style, setStyle] = useState<StyleSpecification>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let isWanted = true;
    loadMapStyle(styleUrl, theme).then(
      (loaded) => isWanted && setStyle(loaded),
      (error: unknown) => isWanted && setProblem(`The map style could not be loaded: ${String(error)}`),
    );
    return () => {
      isWanted = false;
    };
  }, [styleUrl, theme]);
  return { style, problem };
}

/**
 * A configured style gets our label fonts, whatever glyphs it has.
 * @throws Error if the style cannot be fetched
 */
async function loadMapStyle(styleUrl: string | undefined, theme: BasemapTheme): Promise<StyleSpecification> {
  const own = basemapStyle(theme);
  if (styleUrl === undefined) return own;
  const response = await fetch(styleUrl);
  if (!response.ok) throw new Error(`the map style answered ${response.status}`);
  const style = (await response.json()) as StyleSpecification;
  return { ...style, 'font-faces': { ...own['font-faces'], ...style['font-faces'] } };
}

/** Has the browser cache the code of MapLibre's workers first, since they never request it again. */
function useWorkerCode() {
  const [isCached, setCached] = useState(false);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const unmounted = new AbortController();
    const { signal } = unmounted;
    const onFailure = (error: unknown) => {
      signal.throwIfAborted();
      setProblem(error instanceof MissingFile ? WORKER_GONE : WORKER_LOST);
    };
    retryUntilDone(() => readWorkerCode(signal), { onFailure }, signal).then(
      () => {
        setCached(true);
        setProblem(undefined);
      },
      // It ends only when the map is no longer rendered.
      () => undefined,
    );
    return () => unmounted.abort();
  }, []);
  return { isCached, problem };
}

class MissingFile extends Error {}

async function readWorkerCode(signal: AbortSignal): Promise<void> {
  const response = await fetch(WORKER_URL, { signal });
  if (response.status === 404) throw new MissingFile();
  if (!response.ok) throw new Error(`the map's worker answered ${response.status}`);
  await response.arrayBuffer();
}
