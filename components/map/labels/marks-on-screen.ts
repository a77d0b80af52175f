import type { Picture } from '#lib/picture/picture.ts';
import type { ScreenMarks } from './place-labels.ts';

/** The map's camera, seen from straight above. */
export interface ScreenCamera {
  /** Mercator position of the middle. */
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
  readonly bearingDeg: number;
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Width of the world at zoom 0. */
const WORLD_PX = 512;
/** Marks so far outside the view may still touch a label in it. */
const MARGIN_PX = 40;

/** Where the marks of a picture are on screen, each in the world copy nearest to the middle. */
export class MarksOnScreen {
  #marks = emptyMarks(0);
  #indices = new Uint32Array(0);

  get marks(): ScreenMarks {
    return this.#marks;
  }

  /**
   * Finds the marks in view, in the picture's order.
   * @param halfPxOf half the side of a mark with this style
   * @returns the index of each in the picture; valid until the next call
   */
  project(picture: Picture, camera: ScreenCamera, halfPxOf: (style: number) => number): Uint32Array {
    if (this.#indices.length < picture.count) {
      this.#marks = emptyMarks(picture.capacity);
      this.#indices = new Uint32Array(picture.capacity);
    }
    const worldPx = WORLD_PX * 2 ** camera.zoom;
    const cosine = Math.cos((camera.bearingDeg * Math.PI) / 180) * worldPx;
    const sine = Math.sin((camera.bearingDeg * Math.PI) / 180) * worldPx;
    const reachX = camera.widthPx / 2 + MARGIN_PX;
    const reachY = camera.heightPx / 2 + MARGIN_PX;
    const marks = this.#marks;
    let count = 0;
    for (let index = 0; index < picture.count; index++) {
      let east = picture.mercatorX[index]! - camera.x;
      east -= Math.round(east);
      const south = picture.mercatorY[index]! - camera.y;
      const x = east * cosine + south * sine;
      const y = south * cosine - east * sine;
      if (x < -reachX || x > reachX || y < -reachY || y > reachY) continue;
      marks.x[count] = x;
      marks.y[count] = y;
      marks.halfPx[count] = halfPxOf(picture.style[index]!);
      this.#indices[count] = index;
      count++;
    }
    marks.count = count;
    return this.#indices;
  }
}

function emptyMarks(capacity: number): ScreenMarks {
  return {
    count: 0,
    x: new Float32Array(capacity),
    y: new Float32Array(capacity),
    halfPx: new Float32Array(capacity),
  };
}
