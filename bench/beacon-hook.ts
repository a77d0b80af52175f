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
    const known = new Set<string>();
    const came = (names: readonly string[], timeOf: (index: number) => number) => {
      const counts = new Map<number, number>();
      for (const [index, name] of names.entries()) {
        const time = timeOf(index);
        // A page that receives a position again does not have it sooner.
        if (known.has(`${name} ${time}`)) continue;
        known.add(`${name} ${time}`);
        counts.set(time, (counts.get(time) ?? 0) + 1);
      }
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
          type Records = { readonly refs: readonly string[]; readonly observedAtMs: Float64Array };
          for (const { records } of Object.values(data.frame.layers) as { records: Records[] }[])
            for (const { refs, observedAtMs } of records) came(refs, (index) => observedAtMs[index] as number);
        });
      }
    };
    const { open } = XMLHttpRequest.prototype;
    XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, method: string, url: string | URL) {
      if (String(url).includes('aircraft.json'))
        this.addEventListener('load', () => {
          const { now, aircraft } = JSON.parse(this.responseText) as { now: number; aircraft: { hex: string }[] };
          const hexes = aircraft.map(({ hex }) => hex);
          came(hexes, () => Math.round(now * 1000));
        });
      open.call(this, method, url, true);
    };

    // A frame has the positions if it is the first in which something is uploaded and drawn after they came; on a 2D canvas, drawn. Without a
    // graphics card frames are queued: reading a pixel waits until this one is drawn.
    let isUploaded = false;
    const wrap = <Context>(of: object, names: readonly string[], before: (context: Context) => void) => {
      for (const name of names) {
        const own = (of as Record<string, (...given: unknown[]) => unknown>)[name];
        if (own)
          Object.assign(of, {
            [name](this: Context, ...given: unknown[]) {
              before(this);
              return own.apply(this, given);
            },
          });
      }
    };
    const ends = (readPixel: () => void) => {
      const drawn = awaited;
      awaited = [];
      isUploaded = false;
      queueMicrotask(() => {
        readPixel();
        const drawnMs = nowMs();
        for (const arrival of drawn) arrival.drawnMs = drawnMs;
      });
    };
    for (const { prototype } of [WebGLRenderingContext, WebGL2RenderingContext]) {
      wrap(prototype, ['bufferData', 'bufferSubData', 'texImage2D', 'texSubImage2D'], () => {
        isUploaded ||= awaited.length > 0;
      });
      wrap<WebGLRenderingContext>(prototype, ['drawArrays', 'drawElements'], (gl) => {
        if (isUploaded) ends(() => gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)));
      });
    }
    wrap<CanvasRenderingContext2D>(CanvasRenderingContext2D.prototype, ['drawImage'], (context) => {
      if (awaited.length > 0 && context.canvas.isConnected) ends(() => context.getImageData(0, 0, 1, 1));
    });
  });
}

export async function arrivalsOf(page: Page): Promise<readonly Arrival[]> {
  return page.evaluate(() => (window as unknown as { beaconArrivals: Arrival[] }).beaconArrivals);
}
