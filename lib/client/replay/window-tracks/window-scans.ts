import { ValueStore } from '../../value-store.ts';
import { scanWindow, type WindowScan } from './scan-window.ts';
import type { WindowTracks } from './window-tracks.ts';

const REST_MS = 300;

export interface ScanState {
  readonly tracks: WindowTracks | undefined;
  /** The question behind `tracks`; if not the current one, a scan is running or due. */
  readonly of: WindowScan | undefined;
}

/** One scan at a time; a change meanwhile causes another. */
export class WindowScans {
  readonly state = new ValueStore<ScanState>({ tracks: undefined, of: undefined });
  #wanted: WindowScan | undefined;
  #isRunning = false;

  want(scan: WindowScan): void {
    this.#wanted = scan;
    if (!this.#isRunning) void this.#run();
  }

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
