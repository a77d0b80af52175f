'use client';

import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { useDisplay, useLayersOn } from '#lib/client/page/lookout-context.tsx';
import type { Layer } from '#lib/model/position.ts';
import { sumOfCounts } from '#lib/picture/draw-picture.ts';
import { classNames } from '../ui/class-names.ts';
import { Popover } from '../ui/popover.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { countText, originText } from './count-text.ts';
import { LayerIcon } from './layer-icon.tsx';
import { useLayerText } from './use-layer-text.ts';

/** A layer in the top bar: state, count, age. Opens a popover with the full sentence and the layer's switch. */
export function LayerChip({ layer }: { readonly layer: Layer }) {
  const [layersOn, setLayerOn] = useLayersOn();
  const { tone, sentence, short, counts, showsCount } = useLayerText(layer);
  const name = LAYER_NAME[layer];
  const shown = useDisplay(({ filtered }) => filtered.shownOf[layer]);
  const { current, expired: hollow } = countText(counts, shown);

  const chip = (
    <button
      type="button"
      data-testid={`chip-${layer}`}
      className="flex min-h-8 min-w-0 items-center gap-2 rounded-control border border-line bg-raised px-3 text-body whitespace-nowrap hover:border-edge compact:h-auto compact:min-h-11 compact:flex-wrap compact:content-center compact:gap-x-1.5 compact:gap-y-0 compact:px-2 compact:text-table phone:flex-auto"
    >
      <ToneMark tone={tone} />
      <span className="text-dim compact:hidden">{name}</span>
      <span className="hidden text-dim compact:inline">
        <LayerIcon layer={layer} />
        <span className="sr-only">{name}</span>
      </span>
      {showsCount && (
        <>
          <span
            data-testid={`count-${layer}`}
            className="flex flex-col text-left font-semibold leading-tight compact:order-last compact:block compact:w-full compact:text-balance compact:whitespace-normal"
          >
            {current}
            {hollow !== undefined && (
              <>
                <span className="sr-only compact:not-sr-only"> · </span>
                <span className="font-normal text-caption compact:font-semibold compact:text-table">{hollow}</span>
              </>
            )}
          </span>
          <span aria-hidden className="-mx-1 text-dim compact:hidden">
            ·
          </span>
        </>
      )}
      <span className={classNames('compact:text-caption', tone === 'bad' ? 'font-medium text-bad' : 'text-dim')}>
        {short}
      </span>
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
        note="Off: not fetched, costs nothing."
        checked={layersOn.has(layer)}
        onChange={(on) => setLayerOn(layer, on)}
      />
    </Popover>
  );
}
