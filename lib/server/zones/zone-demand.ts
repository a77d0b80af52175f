import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { ZoneBox } from '../live/plan/demand-of-all.ts';
import { type CurrentZones, isReadAt } from './current-zones.ts';
import { zoneBoxes } from './zone-boxes.ts';

const FOLLOWED_EVERY_MS = MINUTE_MS / 4;

export interface ZoneDemandOptions {
  readonly current: Pick<CurrentZones, 'all' | 'onChange'>;
  /** The upstream's clock. */
  readonly now: () => UpstreamInstant;
  readonly watch: (boxes: readonly ZoneBox[]) => void;
}

/** During hours, with or without viewers. */
export class ZoneDemand {
  readonly #options: ZoneDemandOptions;
  readonly #endListening: () => void;
  readonly #timer: NodeJS.Timeout;
  #written = '[]';

  constructor(options: ZoneDemandOptions) {
    this.#options = options;
    this.#endListening = options.current.onChange(() => this.#follow());
    this.#timer = setInterval(() => this.#follow(), FOLLOWED_EVERY_MS).unref();
    this.#follow();
  }

  close(): void {
    this.#endListening();
    clearInterval(this.#timer);
  }

  #follow(): void {
    const { current, now, watch } = this.#options;
    const boxes = current.all.filter((zone) => isReadAt(zone, now())).flatMap(zoneBoxes);
    const written = JSON.stringify(boxes);
    if (written === this.#written) return;
    this.#written = written;
    watch(boxes);
  }
}
