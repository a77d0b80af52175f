import type { ServerResponse } from 'node:http';

/** In how many steps a stall is watched: each says that nothing was taken within it. */
const STEPS = 3;

/**
 * Closes the connection of a client that reads nothing of an answer for `afterMs`, plus one step at most. Slow clients, and those
 * that have read everything sent, keep theirs.
 */
export function cutStalledReader(response: ServerResponse, afterMs: number): void {
  const stepMs = afterMs / STEPS;
  let steps = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  // Node calls it when a connection was idle for a step, neither taking nor given anything.
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
