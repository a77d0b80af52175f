import type { ReactNode } from 'react';
import { CONFIDENCE_CLASSES, CONFIDENCE_TEXT, type ConfidenceClass } from '#lib/model/confidence.ts';
import { ConfidenceGlyph } from '../ui/confidence-badge.tsx';
import { MarkIcon } from '../ui/marks/mark-icon.tsx';

/** The states that a mark shows. */
export type MarkState =
  | 'aircraft'
  | 'drone'
  | 'ageing'
  | 'expired'
  | 'simulated'
  | 'test'
  | 'heading-unknown'
  | 'emergency';

export interface SymbolExample {
  readonly state: MarkState;
  readonly name: string;
  readonly meaning: string;
  readonly mark: ReactNode;
}

const plain = { colour: 'var(--dim)', size: 24 } as const;
const turned = { ...plain, heading: 45 } as const;

export const SYMBOL_EXAMPLES: readonly SymbolExample[] = [
  {
    state: 'aircraft',
    name: 'Aircraft',
    meaning: 'Received by ADS-B, turned to its heading.',
    mark: <MarkIcon kind="aircraft" phase="fresh" {...turned} />,
  },
  {
    state: 'drone',
    name: 'Drone',
    meaning: 'Received by Remote ID; the tick is its heading.',
    mark: <MarkIcon kind="drone" phase="fresh" {...turned} />,
  },
  {
    state: 'ageing',
    name: 'Ageing',
    meaning: 'Fades from a third of its time to live until it expires.',
    mark: <MarkIcon kind="aircraft" phase="ageing" {...turned} />,
  },
  {
    state: 'expired',
    name: 'Expired',
    meaning: 'Hollow, at its last received position; then removed.',
    mark: <MarkIcon kind="aircraft" phase="expired" {...turned} />,
  },
  {
    state: 'simulated',
    name: 'Simulated',
    meaning:
      'Not traffic. Striped and tagged SIM among other marks; if all marks are simulated, a line above the map says so.',
    mark: <MarkIcon kind="aircraft" phase="fresh" striped {...turned} />,
  },
  {
    state: 'test',
    name: 'Test',
    meaning: 'In a dashed square and tagged TEST.',
    mark: <MarkIcon kind="drone" phase="fresh" test {...turned} />,
  },
  {
    state: 'heading-unknown',
    name: 'Heading unknown',
    meaning: 'Not reported: an aircraft is a disc, a drone has no tick.',
    mark: (
      <span className="flex">
        <MarkIcon kind="aircraft" phase="fresh" {...plain} size={14} />
        <MarkIcon kind="drone" phase="fresh" {...plain} size={14} />
      </span>
    ),
  },
  {
    state: 'emergency',
    name: 'Emergency',
    meaning: 'A red ring: a known emergency value was reported. No ring is not an all-clear.',
    mark: <MarkIcon kind="aircraft" phase="fresh" emergency {...turned} />,
  },
];

const CONFIDENCE_MEANING: Readonly<Record<ConfidenceClass, string>> = {
  several: 'Confidence label multi_station.',
  single: 'Confidence label single.',
  inconsistent: 'Confidence label inconsistent.',
  stale: 'Confidence label stale.',
  neutral: 'Any other confidence label, shown unchanged, or none.',
};

export function vectorExample(minutes: number): Omit<SymbolExample, 'state'> {
  return {
    name: `${minutes} min ahead`,
    meaning: `Speed vector: where the reported speed and heading would lead in ${minutes} min. Nothing was received there.`,
    mark: (
      <svg aria-hidden="true" width="28" height="10" viewBox="0 0 28 10" fill="none" stroke="var(--text)">
        <path d="M1 5H27" strokeWidth="1.4" strokeDasharray="5 4" />
      </svg>
    ),
  };
}

export const CONFIDENCE_EXAMPLES: readonly Omit<SymbolExample, 'state'>[] = CONFIDENCE_CLASSES.map((name) => ({
  name: CONFIDENCE_TEXT[name],
  meaning: CONFIDENCE_MEANING[name],
  mark: <ConfidenceGlyph of={name} />,
}));
