import type { Map as MapLibreMap } from 'maplibre-gl';
import type { RegionMapState } from '#lib/client/page/region-map.ts';
import type { ArchiveTrouble } from './archive-source.ts';
import { DrawnRegion, type RegionLook } from './drawn-region.ts';
import { type OpenedArchive, openArchive } from './opened-archive.ts';

const RETRY_MS = 20_000;

/** Reopens a replaced file, and retries an unreadable one. */
export class ShownRegion {
  readonly #map: MapLibreMap;
  readonly #name: string;
  readonly #onState: (state: RegionMapState) => void;
  #look: RegionLook;
  #drawn: DrawnRegion | undefined;
  /** Number of the current opening; results of earlier ones are ignored. */
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
