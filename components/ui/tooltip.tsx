'use client';

import { Tooltip as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';

interface TooltipProps {
  readonly text: string;
  readonly shortcut?: string;
  readonly side?: 'top' | 'right' | 'bottom' | 'left';
  readonly children: ReactNode;
}

/** Repeats an accessible name visually: it is never the only place for a piece of information. */
export function Tooltip({ text, shortcut, side = 'bottom', children }: TooltipProps) {
  return (
    // Each tooltip has its own provider: the parts of the page that have tooltips are loaded at different times.
    <Primitive.Provider delayDuration={400}>
      <Primitive.Root>
        <Primitive.Trigger asChild>{children}</Primitive.Trigger>
        <Primitive.Portal>
          <Primitive.Content
            side={side}
            sideOffset={6}
            collisionPadding={8}
            className="z-50 flex items-center gap-2 rounded-control border border-edge bg-raised px-2 py-1 text-caption text-text"
          >
            {text}
            {shortcut && <Key>{shortcut}</Key>}
          </Primitive.Content>
        </Primitive.Portal>
      </Primitive.Root>
    </Primitive.Provider>
  );
}

export function Key({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 shrink-0 items-center justify-center rounded-[4px] border border-edge bg-surface px-1 font-mono text-caption text-text whitespace-nowrap">
      {children}
    </kbd>
  );
}
