import { ValueStore } from '../../value-store.ts';
import { scanWindow, type WindowScan } from './scan-window.ts';
import type { WindowTracks } from './window-tracks.ts';

/** While a window loads, its tracks are looked for again at most this often. */
const REST_MS = 300;

export interface ScanState {
  /** `undefined` before the first scan is done. */
  readonly tracks: WindowTracks | undefined;
  /** The question behind `tracks`. If it differs from the current one, a scan is under way or due. */
  readonly of: WindowScan | undefined;
}

/** The tracks of the latest question's window. One scan runs at a time; a change meanwhile causes another one after it. */
export class WindowScans {
  readonly state = new ValueStore<ScanState>({ tracks: undefined, of: undefined });
  #wanted: WindowScan | undefined;
  #isRunning = false;

  want(scan: WindowScan): void {
    this.#wanted = scan;
    if (!this.#isRunning) void this.#run();
  }

  /** Gives up what runs. */
  stop(): void {
    this.#wanted = undefined;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    let done: WindowScan | undefined;
    while (this.#wanted && this.#wanted !== done) {
      const scan = this.#wanted;
      const tracks = await scanWindow(scan, {
        yieldToMain: () => new Promise((resolve) => setTimeout(resolve)),
        // A growing store is scanned to its end: what it adds comes with the next scan.
        isWanted: () => this.#wanted?.store === scan.store,
      });
      done = scan;
      if (tracks) this.state.set({ tracks, of: scan });
      if (this.#wanted && this.#wanted !== done) await new Promise((resolve) => setTimeout(resolve, REST_MS));
    }
    this.#isRunning = false;
  }
}
