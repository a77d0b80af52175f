export interface CameraView {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly centreX: number;
  readonly centreY: number;
  readonly zoom: number;
  readonly bearingDeg: number;
  readonly pitchDeg: number;
}

const FOV_RADIANS = 0.6435011087932844;

export function viewMatrix(view: CameraView): Float64Array {
  const { widthPx, heightPx, centreX, centreY, zoom, bearingDeg, pitchDeg } = view;
  const worldPx = 512 * 2 ** zoom;
  const distance = (0.5 / Math.tan(FOV_RADIANS / 2)) * heightPx;
  const f = 1 / Math.tan(FOV_RADIANS / 2);
  const [near, far] = [distance / 50, distance * 20];
  const perspective = rows(
    [(f * heightPx) / widthPx, 0, 0, 0],
    [0, f, 0, 0],
    [0, 0, (far + near) / (near - far), (2 * far * near) / (near - far)],
    [0, 0, -1, 0],
  );
  const [sinPitch, cosPitch] = sinCos(pitchDeg);
  const [sinBearing, cosBearing] = sinCos(-bearingDeg);
  return [
    rows([1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]),
    rows([1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, -distance], [0, 0, 0, 1]),
    rows([1, 0, 0, 0], [0, cosPitch, -sinPitch, 0], [0, sinPitch, cosPitch, 0], [0, 0, 0, 1]),
    rows([cosBearing, -sinBearing, 0, 0], [sinBearing, cosBearing, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]),
    rows([worldPx, 0, 0, -centreX * worldPx], [0, worldPx, 0, -centreY * worldPx], [0, 0, 1, 0], [0, 0, 0, 1]),
  ].reduce(multiplied, perspective);
}

/** CSS pixels from the view's upper left; `undefined` behind the camera. */
export function screenPoint(view: CameraView, mercatorX: number, mercatorY: number): [number, number] | undefined {
  const m = viewMatrix(view);
  const [x, y, w] = [0, 1, 3].map((row) => m[row]! * mercatorX + m[4 + row]! * mercatorY + m[12 + row]!) as [
    number,
    number,
    number,
  ];
  return w > 0 ? [((x / w + 1) / 2) * view.widthPx, ((1 - y / w) / 2) * view.heightPx] : undefined;
}

function sinCos(deg: number): [number, number] {
  return [Math.sin((deg * Math.PI) / 180), Math.cos((deg * Math.PI) / 180)];
}

function rows(...given: readonly (readonly number[])[]): Float64Array {
  return Float64Array.from({ length: 16 }, (_, at) => given[at % 4]![Math.floor(at / 4)]!);
}

function multiplied(a: Float64Array, b: Float64Array): Float64Array {
  return Float64Array.from({ length: 16 }, (_, at) => {
    const [row, column] = [at % 4, Math.floor(at / 4)];
    return [0, 1, 2, 3].reduce((sum, k) => sum + a[k * 4 + row]! * b[column * 4 + k]!, 0);
  });
}
