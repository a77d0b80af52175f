const RADIANS_PER_DEG = 0.017453292519943295;

/**
 * A sine with bit-identical results on every machine: server and browser must predict the same integers, but the result of
 * Math.sin depends on the engine (ECMA-262, 21.3.2.30: "an implementation-approximated value"). Taylor polynomial of degree 13,
 * with an error below 1e-9.
 */
export function sineOfDeg(deg: number): number {
  const x = withinQuarterTurn(deg) * RADIANS_PER_DEG;
  const x2 = x * x;
  let sum = 1 / 6227020800;
  sum = sum * x2 - 1 / 39916800;
  sum = sum * x2 + 1 / 362880;
  sum = sum * x2 - 1 / 5040;
  sum = sum * x2 + 1 / 120;
  sum = sum * x2 - 1 / 6;
  return sum * x2 * x + x;
}

export function cosineOfDeg(deg: number): number {
  return sineOfDeg(90 - Math.abs(deg));
}

/** The angle in −90…90 with the same sine. */
function withinQuarterTurn(deg: number): number {
  let turned = deg % 360;
  if (turned > 180) turned -= 360;
  else if (turned < -180) turned += 360;
  if (turned > 90) return 180 - turned;
  return turned < -90 ? -180 - turned : turned;
}
