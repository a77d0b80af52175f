import type { ServerResponse } from 'node:http';

const STEPS = 3;

/** Cuts after `afterMs`, plus one step at most. */
export function cutStalledReader(response: ServerResponse, afterMs: number): void {
  const stepMs = afterMs / STEPS;
  let steps = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  response.setTimeout(stepMs, () => {
    const nowMs = performance.now();
    const hasTaken = response.writableLength === 0;
    const isSameStall = nowMs - lastMs < 1.5 * stepMs;
    steps = hasTaken ? 0 : isSameStall ? steps + 1 : 1;
    lastMs = nowMs;
    if (steps >= STEPS) response.destroy();
    else if (!hasTaken) response.socket?.setTimeout(stepMs);
  });
}
