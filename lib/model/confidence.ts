/** The class of a position's quality, which says nothing of safety. */
export type ConfidenceClass = 'several' | 'single' | 'inconsistent' | 'stale' | 'neutral';

export const CONFIDENCE_CLASSES = ['several', 'single', 'inconsistent', 'stale', 'neutral'] as const;

/** Examples of the contract (Position: confidence), which publishes no full list. */
const classOfLabel: ReadonlyMap<string, ConfidenceClass> = new Map([
  ['multi_station', 'several'],
  ['single', 'single'],
  ['inconsistent', 'inconsistent'],
  ['stale', 'stale'],
]);

export const CONFIDENCE_LABELS: readonly string[] = [...classOfLabel.keys()];

export function confidenceClass(label: string | undefined): ConfidenceClass {
  return (label === undefined ? undefined : classOfLabel.get(label)) ?? 'neutral';
}

export const CONFIDENCE_TEXT: Readonly<Record<ConfidenceClass, string>> = {
  several: 'Several stations',
  single: 'One station',
  inconsistent: 'Inconsistent',
  stale: 'Stale',
  neutral: 'Other or none',
};

export function confidenceText(label: string | undefined): string | undefined {
  const known = confidenceClass(label);
  return known === 'neutral' ? label : CONFIDENCE_TEXT[known];
}
