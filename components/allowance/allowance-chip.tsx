'use client';

import { Gauge } from 'lucide-react';
import { useDisplay } from '#lib/client/page/lookout-context.tsx';
import { useStatus } from '#lib/client/status/status-query.ts';
import { ToneMark } from '../ui/tone-mark.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import { allowanceChipText } from './allowance-text.ts';

export function AllowanceChip({ onOpen }: { readonly onOpen: () => void }) {
  const { status } = useStatus(false);
  const { tone, figures } = allowanceChipText(status, useDisplay());
  const [first] = figures;
  if (first === undefined) return null;
  return (
    <Tooltip text={`Allowance: ${figures.join(' · ')}`}>
      <button
        type="button"
        data-testid="chip-allowance"
        onClick={onOpen}
        translate="no"
        className="flex h-9 w-30 shrink-0 flex-col justify-center whitespace-nowrap rounded-control border border-line bg-raised px-2.5 text-left hover:border-edge compact:w-9 compact:flex-row compact:items-center compact:px-0 tablet:hidden"
      >
        <span className="flex items-center gap-1.5 text-caption text-dim">
          {tone && <ToneMark tone={tone} />}
          <span className="compact:sr-only">Allowance</span>
          <Gauge aria-hidden size={14} strokeWidth={1.75} className="hidden compact:block" />
        </span>
        <span data-testid="allowance-figure" className="sr-only">
          {figures.join(' · ')}
        </span>
        <span aria-hidden className="font-semibold text-table compact:hidden">
          {first}
        </span>
      </button>
    </Tooltip>
  );
}
