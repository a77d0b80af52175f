export interface RestToRest {
  readonly lengthM: number;
  readonly topMps: number;
  readonly rampMs: number;
  readonly durationMs: number;
}

/** @param maxMps not reached in a short run */
export function restToRest(lengthM: number, maxMps: number, accelerationMps2: number): RestToRest {
  const topMps = Math.min(maxMps, Math.sqrt(lengthM * accelerationMps2));
  const rampMs = (topMps / accelerationMps2) * 1000;
  return { lengthM, topMps, rampMs, durationMs: (lengthM / topMps) * 1000 + rampMs };
}

export function runAt(run: RestToRest, elapsedMs: number): { readonly alongM: number; readonly speedMps: number } {
  const { lengthM, topMps, rampMs, durationMs } = run;
  const leftMs = durationMs - elapsedMs;
  const speedMps = topMps * Math.min(1, elapsedMs / rampMs, leftMs / rampMs);
  if (elapsedMs < rampMs) return { alongM: (speedMps * elapsedMs) / 2000, speedMps };
  if (leftMs < rampMs) return { alongM: lengthM - (speedMps * leftMs) / 2000, speedMps };
  return { alongM: (topMps * (elapsedMs - rampMs / 2)) / 1000, speedMps };
}
