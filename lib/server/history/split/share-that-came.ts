import 'server-only';
import { epochMs } from '#lib/time/instant.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';

/** Number of pieces compared. Sources round timestamps to steps of up to 10 s, so that shorter pieces would only show those. */
const PIECES_MAX = 24;
const PIECES_MIN = 4;
const PIECE_MIN_MS = 10_000;

/**
 * Estimates the share of all records that came with a truncated answer: its records in a quiet piece over the usual number. The
 * median piece counts as quiet, because what overfills a window is mostly short.
 *
 * @param came number of records between two times
 * @param rateAt usual records per millisecond
 * @returns `undefined` where the window is too short, or the usual rate is 0
 */
export function shareThatCame(
  window: Window,
  came: (startMs: number, endMs: number) => number,
  rateAt: (atMs: number) => number,
): number | undefined {
  const lengthMs = windowLengthMs(window);
  const pieces = Math.min(PIECES_MAX, Math.floor(lengthMs / PIECE_MIN_MS));
  if (pieces < PIECES_MIN) return undefined;
  const pieceMs = lengthMs / pieces;
  const shares = Array.from({ length: pieces }, (_, index) => {
    const startMs = epochMs(window.start) + index * pieceMs;
    return came(startMs, startMs + pieceMs) / (rateAt(startMs + pieceMs / 2) * pieceMs);
  });
  const median = shares.sort((a, b) => a - b)[pieces >> 1] as number;
  return Number.isFinite(median) && median > 0 ? median : undefined;
}
