'use client';

import { Drone, Plane } from 'lucide-react';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { useDisplay, useLayersOn } from '#lib/client/page/lookout-context.tsx';
import type { Layer } from '#lib/model/position.ts';
import { sumOfCounts } from '#lib/picture/draw-picture.ts';
import { classNames } from '../ui/class-names.ts';
import { Popover } from '../ui/popover.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { countLine, originText, shortCounts } from './count-text.ts';
import { useLayerText } from './use-layer-text.ts';

export function LayerChip({ layer }: { readonly layer: Layer }) {
  const [layersOn, setLayerOn] = useLayersOn();
  const { tone, sentence, short, counts, showsCount } = useLayerText(layer);
  const name = LAYER_NAME[layer];
  const shown = useDisplay(({ filtered }) => filtered.shownOf[layer]);
  const count = countLine(counts, shown);

  const [first = '', ...others] = shortCounts(counts, shown);
  const [, number, ofAll, tag] = /^(\d+)(\/\d+)?(.*)$/.exec(first) ?? [];
  // The width is fixed: a chip that resizes each second would move its neighbours.
  const chip = (
    <button
      type="button"
      data-testid={`chip-${layer}`}
      translate="no"
      {...(showsCount && { title: count })}
      className="flex h-9 w-38 shrink-0 flex-col justify-center whitespace-nowrap rounded-control border border-line bg-raised px-2.5 text-left hover:border-edge compact:w-auto compact:min-w-16 compact:items-center compact:px-2 phone:h-11 phone:min-w-12 phone:px-1.5"
    >
      <span
        className={classNames(
          'flex w-full items-center gap-1.5 text-caption compact:w-auto',
          !showsCount && 'compact:grid compact:grid-cols-[auto_auto] compact:justify-center compact:gap-y-0',
        )}
      >
        <ToneMark tone={tone} />
        <span className="text-dim compact:hidden">{name}</span>
        <span className="hidden text-dim compact:inline">
          <LayerIcon layer={layer} />
          <span className="sr-only">{name}</span>
        </span>
        <span
          className={classNames(
            'ml-auto',
            showsCount ? 'compact:sr-only' : 'compact:col-span-2 compact:mx-auto',
            tone === 'bad' ? 'font-medium text-bad' : 'text-dim',
          )}
        >
          {short.split(' · ')[0]}
        </span>
      </span>
      {showsCount && (
        <>
          <span data-testid={`count-${layer}`} className="sr-only">
            {count}
          </span>
          <span data-testid={`shown-count-${layer}`} aria-hidden className="font-semibold text-table">
            {number}
            {/* A phone shows what a filter leaves; the filter's own line has both numbers. */}
            <span className="phone:hidden">{ofAll}</span>
            {tag}
            {others.length > 0 && <span className="compact:hidden"> + {others.join(' + ')}</span>}
          </span>
        </>
      )}
    </button>
  );

  return (
    <Popover trigger={chip} label={name} align="end">
      <p className="mb-3">{sentence}.</p>
      {sumOfCounts(counts.expired) > 0 && (
        <p className="mb-3 text-dim">
          Expired, drawn hollow at the last received position: {originText(counts.expired, shown.expired)}.
        </p>
      )}
      <SwitchRow
        label={`${name} layer`}
        note="Off: not read."
        checked={layersOn.has(layer)}
        onChange={(on) => setLayerOn(layer, on)}
      />
    </Popover>
  );
}

export function LayerIcon({ layer }: { readonly layer: Layer }) {
  const Icon = layer === 'rid' ? Drone : Plane;
  return <Icon aria-hidden size={14} strokeWidth={1.75} className="shrink-0" />;
}
