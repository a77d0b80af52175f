import 'server-only';
import { epochMs } from '#lib/time/instant.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';

/** Pieces of a window that are compared; sources stamp on grids of up to 10 s, and shorter ones would tell of those. */
const PIECES_MAX = 24;
const PIECES_MIN = 4;
const PIECE_MIN_MS = 10_000;

/**
 * How much of what is there came with a truncated answer: what came of its quiet pieces against what is usual then. The middle
 * piece is taken for quiet, since what overfills a window is mostly short.
 *
 * @param came records between two instants
 * @param rateAt usual records a millisecond
 * @returns `undefined` where the window is too short to tell, or nothing is usual
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
  const middle = shares.sort((a, b) => a - b)[pieces >> 1] as number;
  return Number.isFinite(middle) && middle > 0 ? middle : undefined;
}
