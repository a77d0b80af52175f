import type { ReactNode } from 'react';
import { MarkIcon } from '../ui/mark-icon.tsx';
import type { MarkState } from './states-now.ts';

export interface SymbolExample {
  readonly state: MarkState;
  readonly name: string;
  readonly meaning: string;
  readonly mark: ReactNode;
}

/** Colours are the scales' own, so the examples use a neutral one. */
const plain = { colour: 'var(--dim)', size: 24 } as const;
const turned = { ...plain, heading: 45 } as const;

/** Kinds and states of marks, for legend and help. */
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
    meaning: 'Hatched and tagged SIM: not traffic.',
    mark: <MarkIcon kind="aircraft" phase="fresh" simulated {...turned} />,
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
    meaning: 'A disc without a nose: the heading was not reported.',
    mark: <MarkIcon kind="aircraft" phase="fresh" {...plain} />,
  },
  {
    state: 'emergency',
    name: 'Emergency',
    meaning: 'A red ring: a known emergency value was reported. No ring is not an all-clear.',
    mark: <MarkIcon kind="aircraft" phase="fresh" emergency {...turned} />,
  },
];

/** A projection, only while speed vectors are on. */
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

/** Outlines of marks, one for each class of confidence label. */
export const OUTLINE_EXAMPLES: readonly SymbolExample[] = [
  {
    state: 'several',
    name: 'Several stations',
    meaning: 'Label multi_station.',
    mark: <MarkIcon kind="aircraft" phase="fresh" confidence="several" {...turned} />,
  },
  {
    state: 'single',
    name: 'One station',
    meaning: 'Label single.',
    mark: <MarkIcon kind="aircraft" phase="fresh" confidence="single" {...turned} />,
  },
  {
    state: 'inconsistent',
    name: 'Inconsistent',
    meaning: 'Label inconsistent.',
    mark: <MarkIcon kind="aircraft" phase="fresh" confidence="inconsistent" {...turned} />,
  },
  {
    state: 'stale',
    name: 'Stale',
    meaning: 'Label stale.',
    mark: <MarkIcon kind="aircraft" phase="fresh" confidence="stale" {...turned} />,
  },
  {
    state: 'neutral',
    name: 'Other or none',
    meaning: 'Any other label, shown as it came, or none.',
    mark: <MarkIcon kind="aircraft" phase="fresh" confidence="neutral" {...turned} />,
  },
];
