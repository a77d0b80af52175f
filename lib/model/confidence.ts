/** The meaning of a confidence label. A label describes the quality of a position, not safety. Unknown and missing labels are neutral. */
export type ConfidenceClass = 'several' | 'single' | 'inconsistent' | 'stale' | 'neutral';

export const CONFIDENCE_CLASSES = ['several', 'single', 'inconsistent', 'stale', 'neutral'] as const;

/** The examples given by the contract (Position: confidence). The full list is not published. */
const classOfLabel: ReadonlyMap<string, ConfidenceClass> = new Map([
  ['multi_station', 'several'],
  ['single', 'single'],
  ['inconsistent', 'inconsistent'],
  ['stale', 'stale'],
]);

/** The labels that the contract lists as examples. */
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

/** A label in words; an unknown label as received; `undefined` if none was received. */
export function confidenceText(label: string | undefined): string | undefined {
  const known = confidenceClass(label);
  return known === 'neutral' ? label : CONFIDENCE_TEXT[known];
}
