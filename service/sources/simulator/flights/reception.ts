import type { Dice } from '#lib/random/seeded-random.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';

/** How well a track is received: by many stations, by few, or at the edge of reception over sea and ice. */
export type Coverage = 'dense' | 'sparse' | 'remote';

/**
 * When a flight is received: at ticks, about one per period, some of which are lost, and not at all in gaps. The time
 * since its start is divided into cycles; a cycle has at most one gap, which lies entirely within it.
 */
export interface Reception {
  readonly periodMs: number;
  /** When the first tick is due, in ms since the flight's start. */
  readonly phaseMs: number;
  readonly lostShare: number;
  readonly gapCycleMs: number;
  /** One per cycle; NO_GAP if reception is not interrupted. */
  readonly gaps: readonly ReceptionGap[];
}

/** Half-open, in milliseconds since the flight's start. */
export interface ReceptionGap {
  readonly startMs: number;
  readonly endMs: number;
}

interface ReceptionModel {
  readonly periodMs: readonly [number, number];
  readonly lostShare: readonly [number, number];
  /** The share of cycles with a gap, the length of a cycle, the length of a gap. */
  readonly gapShare: number;
  readonly gapCycleMs: number;
  readonly gapMs: readonly [number, number];
}
export const NO_GAP: ReceptionGap = { startMs: Number.POSITIVE_INFINITY, endMs: Number.POSITIVE_INFINITY };

const RECEPTION_MODELS: Readonly<Record<'drone' | Coverage, ReceptionModel>> = {
  drone: {
    periodMs: [1000, 3000],
    lostShare: [0.02, 0.15],
    gapShare: 0.3,
    gapCycleMs: 7 * MINUTE_MS,
    gapMs: [0.4 * MINUTE_MS, 2.2 * MINUTE_MS],
  },
  dense: {
    periodMs: [1000, 5000],
    lostShare: [0.01, 0.06],
    gapShare: 0.15,
    gapCycleMs: 18 * MINUTE_MS,
    gapMs: [1.5 * MINUTE_MS, 4 * MINUTE_MS],
  },
  sparse: {
    periodMs: [2000, 7000],
    lostShare: [0.03, 0.12],
    gapShare: 0.3,
    gapCycleMs: 20 * MINUTE_MS,
    gapMs: [1.5 * MINUTE_MS, 5 * MINUTE_MS],
  },
  remote: {
    periodMs: [8000, 15_000],
    lostShare: [0.05, 0.2],
    gapShare: 0.5,
    gapCycleMs: 25 * MINUTE_MS,
    gapMs: [2 * MINUTE_MS, 7 * MINUTE_MS],
  },
};

export function receptionOf(kind: 'drone' | Coverage, durationMs: number, dice: Dice): Reception {
  const model = RECEPTION_MODELS[kind];
  const { gapShare, gapCycleMs } = model;
  const periodMs = dice.between(...model.periodMs);
  const gaps = Array.from({ length: Math.ceil(durationMs / gapCycleMs) }, (_, cycle) => {
    if (!dice.chance(gapShare)) return NO_GAP;
    const lengthMs = dice.between(...model.gapMs);
    const startMs = cycle * gapCycleMs + dice.between(0, gapCycleMs - lengthMs);
    return { startMs, endMs: startMs + lengthMs };
  });
  return {
    periodMs,
    phaseMs: dice.between(0, periodMs),
    lostShare: dice.between(...model.lostShare),
    gapCycleMs,
    gaps,
  };
}
