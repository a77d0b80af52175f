import type { Counted } from './coverage-rates.ts';
import type { CoverageQuestion } from './overview-query.ts';

export interface CoverageChoice extends CoverageQuestion {
  readonly counted: Counted;
}

export const FIRST_COVERAGE: CoverageChoice = { hours: 24, layer: 'rid', band: undefined, counted: 'references' };
