import type { Page } from '@playwright/test';

/** When a page had positions of one time: `answeredMs` at its main thread, `drawnMs` once a frame with them was drawn. */
export interface Arrival {
  readonly observedMs: number;
  readonly positions: number;
  readonly answeredMs: number;
  drawnMs?: number;
}

/** Makes pages opened from now on note the positions that come, of Lookout by its worker or of tar1090, and when they are drawn. */
export async function noteArrivals(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const arrivals: Arrival[] = [];
    let awaited: Arrival[] = [];
    Object.assign(window, { beaconArrivals: arrivals });
    const nowMs = () => performance.timeOrigin + performance.now();
    const came = (times: Iterable<number>) => {
      const counts = new Map<number, number>();
      for (const time of times) counts.set(time, (counts.get(time) ?? 0) + 1);
      const answeredMs = nowMs();
      for (const [observedMs, positions] of counts) {
        const arrival = { observedMs, positions, answeredMs };
        arrivals.push(arrival);
        awaited.push(arrival);
      }
    };

    const OwnWorker = window.Worker;
    window.Worker = class extends OwnWorker {
      constructor(...made: ConstructorParameters<typeof Worker>) {
        super(...made);
        this.addEventListener('message', ({ data }) => {
          if (data?.kind !== 'frame' || !data.frame?.layers) return;
          for (const layer of Object.values(data.frame.layers) as { records: { observedAtMs: Float64Array }[] }[])
            for (const { observedAtMs } of layer.records) came(observedAtMs);
        });
      }
    };
    const { open } = XMLHttpRequest.prototype;
    XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, method: string, url: string | URL) {
      if (String(url).includes('aircraft.json'))
        this.addEventListener('load', () => {
          const { now, aircraft } = JSON.parse(this.responseText) as { now: number; aircraft: unknown[] };
          came(aircraft.map(() => Math.round(now * 1000)));
        });
      open.call(this, method, url, true);
    };

    // A frame has the positions once something was uploaded and drawn after they came. Without a graphics card frames are queued: reading
    // a pixel waits until this one is drawn.
    let isUploaded = false;
    let isEnding = false;
    const wrap = (of: object, names: readonly string[], before: (gl: WebGLRenderingContext) => void) => {
      for (const name of names) {
        const own = (of as Record<string, (...given: unknown[]) => unknown>)[name];
        if (own)
          Object.assign(of, {
            [name](this: WebGLRenderingContext, ...given: unknown[]) {
              before(this);
              return own.apply(this, given);
            },
          });
      }
    };
    for (const { prototype } of [WebGLRenderingContext, WebGL2RenderingContext]) {
      wrap(prototype, ['bufferData', 'bufferSubData', 'texImage2D', 'texSubImage2D'], () => {
        isUploaded ||= awaited.length > 0;
      });
      wrap(prototype, ['drawArrays', 'drawElements'], (gl) => {
        if (!isUploaded || isEnding) return;
        isEnding = true;
        const drawn = awaited;
        awaited = [];
        isUploaded = false;
        queueMicrotask(() => {
          gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
          const drawnMs = nowMs();
          for (const arrival of drawn) arrival.drawnMs = drawnMs;
          isEnding = false;
        });
      });
    }
  });
}

export async function arrivalsOf(page: Page): Promise<readonly Arrival[]> {
  return page.evaluate(() => (window as unknown as { beaconArrivals: Arrival[] }).beaconArrivals);
}
