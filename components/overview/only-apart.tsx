'use client';

import { type Counted, onlyApart, type ReceivedTotals } from '#lib/client/overview/coverage-rates.ts';
import { Button } from '../ui/button.tsx';
import { Tag } from '../ui/tag.tsx';
import { COUNTED_TEXT, onlyApartText } from './overview-text.ts';

interface OnlyApartProps {
  readonly totals: ReceivedTotals;
  readonly counted: Counted;
  readonly onCounted: (counted: Counted) => void;
}

const TAGS = { simulated: 'SIM', test: 'TEST', inconsistent: undefined } as const;

/** Where only such traffic was received, the first picture would look as if nothing had been. */
export function OnlyApart({ totals, counted, onCounted }: OnlyApartProps) {
  if (counted !== 'references' && counted !== 'positions') {
    const tag = TAGS[counted];
    return tag ? (
      <p className="flex items-center gap-2 font-medium">
        <Tag text={tag} />
        {COUNTED_TEXT[counted]} only: no real traffic is in these figures.
      </p>
    ) : null;
  }
  const names = onlyApart(totals);
  if (names.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-control border border-edge bg-raised px-3 py-2 print:border-0 print:p-0">
      <p className="font-medium">{onlyApartText(names)}</p>
      {names.map((name) => {
        const tag = TAGS[name];
        return (
          <Button key={name} className="print:hidden" onClick={() => onCounted(name)}>
            {tag && <Tag text={tag} />}
            Show {COUNTED_TEXT[name].toLowerCase()}
          </Button>
        );
      })}
    </div>
  );
}
