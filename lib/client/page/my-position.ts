import type { LonLat } from '#lib/geo/great-circle.ts';
import { type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { ValueStore } from '../value-store.ts';

export interface KnownPosition extends LonLat {
  readonly kind: 'known';
  /** The position is within this radius with 95% confidence. */
  readonly accuracyM: number;
  readonly at: LocalInstant;
}

export type MyPosition =
  | { readonly kind: 'off' | 'asking' }
  | KnownPosition
  /** `insecure`: browsers give the position to pages over HTTPS only. */
  | { readonly kind: 'denied' | 'unavailable' | 'insecure' };

interface Device {
  readonly isSecureContext: boolean;
  readonly navigator: { readonly geolocation?: Pick<Geolocation, 'watchPosition' | 'clearWatch'> };
}

const DENIED = 1;
/** A cached position this recent is shown at once, with its age. */
const MAX_AGE_MS = 10_000;

/** Follows the position of the device, only while the operator wants it. The position never leaves the browser. */
export class MyPositionWatch {
  readonly state = new ValueStore<MyPosition>({ kind: 'off' });
  readonly #device: Device;
  #watchId: number | undefined;

  constructor(device: Device) {
    this.#device = device;
  }

  readonly start = (): void => {
    if (this.#watchId !== undefined) return;
    const { isSecureContext, navigator } = this.#device;
    if (!isSecureContext || !navigator.geolocation) {
      this.state.set({ kind: isSecureContext ? 'unavailable' : 'insecure' });
      return;
    }
    this.state.set({ kind: 'asking' });
    this.#watchId = navigator.geolocation.watchPosition(
      ({ coords, timestamp }) => {
        const { longitude: lon, latitude: lat, accuracy: accuracyM } = coords;
        this.state.set({ kind: 'known', lon, lat, accuracyM, at: localInstant(timestamp) });
      },
      ({ code }) => {
        if (code === DENIED) this.#end({ kind: 'denied' });
        // A known position stays and ages: the device may recover.
        else if (this.state.get().kind !== 'known') this.state.set({ kind: 'unavailable' });
      },
      { enableHighAccuracy: true, maximumAge: MAX_AGE_MS },
    );
  };

  readonly stop = (): void => this.#end({ kind: 'off' });

  #end(state: MyPosition): void {
    if (this.#watchId !== undefined) this.#device.navigator.geolocation?.clearWatch(this.#watchId);
    this.#watchId = undefined;
    this.state.set(state);
  }
}
