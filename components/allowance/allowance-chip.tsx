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
  return (
    <Tooltip text="Show the allowance">
      <button
        type="button"
        data-testid="chip-allowance"
        onClick={onOpen}
        translate="no"
        {...(figures !== '' && { title: figures })}
        className="flex h-11 w-30 shrink-0 flex-col justify-center rounded-control border border-line bg-raised px-2.5 text-left hover:border-edge compact:w-11 compact:flex-row compact:items-center compact:px-0 tablet:hidden"
      >
        <span className="flex items-center gap-1.5 text-caption text-dim">
          {tone && <ToneMark tone={tone} />}
          <span className="compact:sr-only">Allowance</span>
          <Gauge aria-hidden size={14} strokeWidth={1.75} className="hidden compact:block" />
        </span>
        {figures !== '' && (
          <span
            data-testid="allowance-figure"
            className="line-clamp-2 font-semibold text-table leading-[13px] compact:hidden"
          >
            {figures}
          </span>
        )}
      </button>
    </Tooltip>
  );
}
