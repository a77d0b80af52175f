'use client';

import type { ReactNode } from 'react';
import { useDisplay, useIsReplaying, useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { REPLAY_EXAMPLES } from './replay-examples.tsx';
import { SMALL_EXAMPLES } from './small-examples.tsx';
import { statesNow } from './states-now.ts';
import { CONFIDENCE_EXAMPLES, SYMBOL_EXAMPLES, type SymbolExample, vectorExample } from './symbol-examples.tsx';

export function MarksLegend({ id }: { readonly id: string }) {
  const { display } = useLookout();
  const [{ vectorMinutes }] = usePreferences();
  const isReplaying = useIsReplaying();
  // The picture changes in place; the summary changes with each picture worth rendering.
  useDisplay();
  const now = statesNow(display.picture());
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it where it is higher than its room.
    <section id={id} aria-label="Marks" tabIndex={0} className="legend-marks">
      <Symbols title="On the map now" examples={SYMBOL_EXAMPLES.filter(({ state }) => now.has(state))} />
      <Symbols title="Other marks" examples={SYMBOL_EXAMPLES.filter(({ state }) => !now.has(state))} />
      <Symbols title="From afar" examples={SMALL_EXAMPLES}>
        Test, emergency and selected marks keep their shape.
      </Symbols>
      <Symbols title="Confidence of a position" examples={CONFIDENCE_EXAMPLES}>
        Named when you point at a mark, and in its card.
      </Symbols>
      {vectorMinutes > 0 && <Symbols title="Speed vectors" examples={[vectorExample(vectorMinutes)]} />}
      {isReplaying && <Symbols title="Replay" examples={REPLAY_EXAMPLES} />}
    </section>
  );
}

interface SymbolsProps {
  readonly title: string;
  readonly examples: readonly Omit<SymbolExample, 'state'>[];
  readonly children?: ReactNode;
}

function Symbols({ title, examples, children }: SymbolsProps) {
  if (examples.length === 0) return null;
  return (
    <div>
      <h2 className="mb-0.5 text-dim">{title}</h2>
      <ul className="flex flex-wrap gap-x-4">
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
