import type { Picture } from '#lib/picture/picture.ts';
import type { ScreenMarks } from './place-labels.ts';

export interface ScreenCamera {
  /** Mercator position of the middle. */
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
  readonly bearingDeg: number;
  readonly widthPx: number;
  readonly heightPx: number;
}

const WORLD_PX = 512;
/** Marks this far outside the view may touch a label in it. */
const MARGIN_PX = 40;

/** Each mark in the world copy nearest to the middle. */
export class MarksOnScreen {
  #marks = emptyMarks(0);
  #indices = new Uint32Array(0);

  get marks(): ScreenMarks {
    return this.#marks;
  }

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
