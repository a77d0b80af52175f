'use client';

import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useIsReplaying, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { DOT_EXAMPLES } from './dot-examples.tsx';
import { LegendScale } from './legend-scale.tsx';
import { REPLAY_EXAMPLES } from './replay-examples.tsx';
import { OUTLINE_EXAMPLES, SYMBOL_EXAMPLES, type SymbolExample, vectorExample } from './symbol-examples.tsx';

/** Explains the colours and symbols on the map. */
export function Legend({ onClose }: { readonly onClose: () => void }) {
  const [{ units, vectorMinutes }] = usePreferences();
  const isReplaying = useIsReplaying();
  return (
    <section
      aria-label="Legend"
      data-testid="legend"
      className="absolute bottom-3 left-3 z-10 flex max-h-[calc(100%-24px)] w-[364px] flex-col gap-2.5 overflow-y-auto rounded-card border border-line bg-surface p-3 text-caption phone:right-2 phone:bottom-2 phone:left-auto phone:w-[min(364px,calc(100%-68px))]"
    >
      <IconButton
        look="quiet"
        label="Hide the legend"
        icon={<X />}
        onClick={onClose}
        shape="small-icon"
        className="absolute top-1.5 right-1.5 phone:top-0 phone:right-0"
      />
      <LegendScale kind="aircraft" units={units} />
      <LegendScale kind="drone" units={units} />
      <Symbols title="Marks" examples={SYMBOL_EXAMPLES} />
      <Symbols title="From afar: dots" examples={DOT_EXAMPLES}>
        Dots leave out the outline of the confidence label. Test, emergency and selected marks keep their shape.
      </Symbols>
      <Symbols title="Outline: confidence label" examples={OUTLINE_EXAMPLES} />
      {vectorMinutes > 0 && <Symbols title="Speed vectors" examples={[vectorExample(vectorMinutes)]} />}
      {isReplaying && <Symbols title="Replay" examples={REPLAY_EXAMPLES} />}
    </section>
  );
}

interface SymbolsProps {
  readonly title: string;
  readonly examples: readonly SymbolExample[];
  /** A line below the examples. */
  readonly children?: ReactNode;
}

function Symbols({ title, examples, children }: SymbolsProps) {
  return (
    <div className="border-line border-t pt-2">
      <h3 className="mb-0.5 text-dim">{title}</h3>
      <ul className="grid grid-cols-[repeat(3,auto)] justify-between gap-x-2 phone:grid-cols-2">
        {examples.map(({ name, meaning, mark }) => (
          <li key={name} title={meaning} className="flex h-[26px] items-center gap-1.5 whitespace-nowrap">
            <span className="flex w-7 shrink-0 justify-center">{mark}</span>
            {name}
          </li>
        ))}
      </ul>
      {children && <p className="text-dim">{children}</p>}
    </div>
  );
}
