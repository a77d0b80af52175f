'use client';

import { Gauge } from 'lucide-react';
import { useDisplay } from '#lib/client/page/lookout-context.tsx';
import { useStatus } from '#lib/client/page/use-status.ts';
import { ToneMark } from '../ui/tone-mark.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import { allowanceChipText } from './allowance-chip-text.ts';

/** The allowance in the bar: opens its panel and repeats the numbers last reported there. It sends no request by itself. */
export function AllowanceChip({ onOpen }: { readonly onOpen: () => void }) {
  const { status } = useStatus(false);
  const { tone, figures } = allowanceChipText(status, useDisplay());
  return (
    <Tooltip text="Show the allowance">
      <button
        type="button"
        data-testid="chip-allowance"
        onClick={onOpen}
        className="flex h-8 shrink-0 items-center gap-2 rounded-control border border-line bg-raised px-3 text-body whitespace-nowrap hover:border-edge compact:h-auto compact:min-h-11 compact:px-2 tablet:hidden"
      >
        {tone && <ToneMark tone={tone} />}
        <span className="text-dim compact:sr-only">Allowance</span>
        <Gauge aria-hidden size={14} strokeWidth={1.75} className="hidden text-dim compact:block" />
        {figures !== '' && (
          <span data-testid="allowance-figure" className="font-semibold compact:hidden">
            {figures}
          </span>
        )}
      </button>
    </Tooltip>
  );
}
