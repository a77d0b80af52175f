import {
  addProtocol,
  type ExpressionSpecification,
  type LayerSpecification,
  type Map as MapLibreMap,
  type RasterLayerSpecification,
} from 'maplibre-gl';
import type { RegionMapState } from '#lib/client/page/region-map.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import {
  ABOVE_GROUND,
  ABOVE_PLACES,
  BELOW_GRATICULE,
  PLACE_IS_SHOWN,
  PLACE_NAMES,
  recolourLayers,
} from '../basemap/basemap-style.ts';
import { BELOW_COVERED_AREA } from '../drawn/covered-area.ts';
import { type ArchiveTrouble, type OpenedArchive, openArchive } from './region-archive.ts';
import { nameLanguage, protomapsLayers, REGION_LAYER_PREFIX, type RegionLayers, regionIcons } from './region-layers.ts';

interface RegionLook {
  readonly theme: BasemapTheme;
  readonly dimming: number;
  readonly namesOverPictures: boolean;
}

const RETRY_MS = 20_000;

/**
 * A region's map on the map: opens its file, draws it, reopens a replaced file, and retries an unreadable one. It never
 * hides the built-in map where the file has no tiles.
 */
export class ShownRegion {
  readonly #map: MapLibreMap;
  readonly #name: string;
  readonly #onState: (state: RegionMapState) => void;
  #look: RegionLook;
  #drawn: DrawnRegion | undefined;
  /** The number of the current opening; results of earlier ones are ignored. */
  #opening = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(map: MapLibreMap, name: string, look: RegionLook, onState: (state: RegionMapState) => void) {
    this.#map = map;
    this.#name = name;
    this.#look = look;
    this.#onState = onState;
    window.addEventListener('online', this.#reopenFailed);
    void this.#open();
  }

  setLook(look: RegionLook): void {
    this.#look = look;
    this.#drawn?.setLook(look);
  }

  close(): void {
    this.#opening += 1;
    window.removeEventListener('online', this.#reopenFailed);
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#undraw();
  }

  /** It rejects only for a defect, which the page reports. */
  async #open(): Promise<void> {
    this.#opening += 1;
    const opening = this.#opening;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    let archive: OpenedArchive;
    try {
      archive = await openArchive(this.#name, (trouble) => this.#onTrouble(opening, trouble));
    } catch {
      if (opening === this.#opening && this.#retry === undefined)
        this.#fail(`The file of the map “${this.#name}” cannot be read here: it is damaged.`);
      return;
    }
    if (opening !== this.#opening) return;
    this.#undraw();
    this.#drawn = new DrawnRegion(this.#map, archive, this.#look);
    this.#onState({ kind: 'shown', isPicture: archive.isPicture });
  }

  #onTrouble(opening: number, trouble: ArchiveTrouble): void {
    if (opening !== this.#opening) return;
    switch (trouble.kind) {
      case 'replaced':
        void this.#open();
        return;
      case 'unavailable':
        this.#undraw();
        this.#fail(trouble.problem);
        return;
      case 'unreachable':
        this.#fail(trouble.problem);
        return;
    }
  }

  #fail(problem: string): void {
    this.#onState({ kind: 'failed', name: this.#name, problem });
    this.#retry ??= setTimeout(() => void this.#open(), RETRY_MS);
  }

  readonly #reopenFailed = (): void => {
    if (this.#retry !== undefined) void this.#open();
  };

  #undraw(): void {
    this.#drawn?.remove();
    this.#drawn = undefined;
  }
}

const SOURCE = 'region';

const PROTOCOL = 'region';

type RasterPaint = NonNullable<RasterLayerSpecification['paint']>;

/** Aerial pictures and printed maps are made to be looked at themselves. */
const MIN_DIMMED: Readonly<Record<BasemapTheme, number>> = { dark: 0.55, light: 0.4 };

const MAX_DIMMED = 0.85;

const SATURATION = { undimmed: -0.4, dimmed: -0.8 } as const;

/** Open files by the number in their tiles' addresses; a replaced file gets another, so no old tile is reused. */
const opened = new Map<string, OpenedArchive>();

let lastKey = 0;

addProtocol(PROTOCOL, async ({ url }, { signal }) => {
  const [, key = '', z, x, y] = /^region:\/\/(\d+)\/(\d+)\/(\d+)\/(\d+)$/.exec(url) ?? [];
  const archive = opened.get(key);
  const tile = await archive?.reader.getZxy(Number(z), Number(x), Number(y), signal);
  signal.throwIfAborted();
  // An empty tile shows what lies below.
  return { data: tile ? new Uint8Array(tile.data) : new Uint8Array() };
});

class DrawnRegion {
  readonly #map: MapLibreMap;
  readonly #archive: OpenedArchive;
  readonly #key: string;
  readonly #language = nameLanguage(navigator.languages);
  #look: RegionLook;

  constructor(map: MapLibreMap, archive: OpenedArchive, look: RegionLook) {
    this.#map = map;
    this.#archive = archive;
    this.#look = look;
    lastKey += 1;
    this.#key = String(lastKey);
    opened.set(this.#key, archive);
    this.#draw();
    map.on('style.load', this.#draw);
  }

  setLook(look: RegionLook): void {
    this.#look = look;
    const { ground, labels, places } = this.#layers();
    recolourLayers(this.#map, [...ground, ...labels, ...places]);
    this.#leaveNamesToFile();
  }

  remove(): void {
    this.#map.off('style.load', this.#draw);
    opened.delete(this.#key);
    const { ground, labels, places } = this.#layers();
    for (const { id } of [...ground, ...labels, ...places]) if (this.#map.getLayer(id)) this.#map.removeLayer(id);
    if (this.#map.getSource(SOURCE)) this.#map.removeSource(SOURCE);
    if (this.#isOnBuiltIn()) this.#map.setFilter(PLACE_NAMES, PLACE_IS_SHOWN);
  }

  #layers(): RegionLayers {
    const { theme, dimming } = this.#look;
    if (this.#archive.isPicture) return pictureLayers(SOURCE, theme, dimming);
    return protomapsLayers(SOURCE, { theme, dimming, language: this.#language });
  }

  readonly #draw = (): void => {
    const map = this.#map;
    // Without its graphics context a map has no style; its next one calls this again.
    if (!map.style || map.getSource(SOURCE)) return;
    const { isPicture, minZoom, maxZoom, bounds, attribution, tileSize } = this.#archive;
    const tiles = [`${PROTOCOL}://${this.#key}/{z}/{x}/{y}`];
    const common = { tiles, minzoom: minZoom, maxzoom: maxZoom, attribution, ...(bounds && { bounds }) };
    map.addSource(SOURCE, isPicture ? { type: 'raster', tileSize, ...common } : { type: 'vector', ...common });
    if (!isPicture)
      for (const { id, image, options } of regionIcons()) if (!map.hasImage(id)) map.addImage(id, image, options);
    const { ground, labels, places } = this.#layers();
    this.#add(ground, ABOVE_GROUND);
    this.#add(labels, PLACE_NAMES);
    this.#add(places, ABOVE_PLACES);
    this.#leaveNamesToFile();
  };

  /** @param above the built-in map's layer above these */
  #add(layers: readonly LayerSpecification[], above: string): void {
    const before = this.#isOnBuiltIn() ? above : BELOW_COVERED_AREA;
    for (const layer of layers) this.#map.addLayer(layer, before);
  }

  /** Hides the built-in map's names where the file has names: no place is named twice. */
  #leaveNamesToFile(): void {
    if (!this.#isOnBuiltIn()) return;
    const { cover, minZoom, isPicture } = this.#archive;
    const isLeft = cover !== undefined && !(isPicture && this.#look.namesOverPictures);
    const elsewhere: ExpressionSpecification = isLeft
      ? ['all', PLACE_IS_SHOWN, ['any', ['<', ['zoom'], minZoom], ['!', ['within', cover]]]]
      : PLACE_IS_SHOWN;
    this.#map.setFilter(PLACE_NAMES, elsewhere);
  }

  /** A style by MAP_STYLE_URL may have layers of any name. */
  #isOnBuiltIn(): boolean {
    return this.#map.getLayer(BELOW_GRATICULE) !== undefined;
  }
}

function pictureLayers(source: string, theme: BasemapTheme, dimming: number): RegionLayers {
  const amount = between(MIN_DIMMED[theme], MAX_DIMMED, dimming);
  const light: RasterPaint =
    theme === 'dark'
      ? { 'raster-brightness-min': 0, 'raster-brightness-max': 1 - amount }
      : { 'raster-brightness-min': amount, 'raster-brightness-max': 1 };
  const paint: RasterPaint = {
    ...light,
    'raster-saturation': between(SATURATION.undimmed, SATURATION.dimmed, dimming),
    'raster-fade-duration': 0,
  };
  const layer: RasterLayerSpecification = { id: `${REGION_LAYER_PREFIX}picture`, type: 'raster', source, paint };
  return { ground: [layer], labels: [], places: [] };
}

function between(undimmed: number, dimmed: number, dimming: number): number {
  return undimmed + (dimmed - undimmed) * Math.min(1, Math.max(0, dimming));
}
