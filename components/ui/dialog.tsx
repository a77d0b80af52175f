'use client';

import { X } from 'lucide-react';
import { Dialog as Primitive } from 'radix-ui';
import { type ReactNode, type RefObject, useRef } from 'react';
import { IconButton } from './icon-button.tsx';

export interface DialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  readonly description: string;
  /** Default: the body, so that keys scroll it at once. */
  readonly initialFocus?: RefObject<HTMLElement | null>;
  readonly children: ReactNode;
}

/**
 * Radix's Overlay locks scrolling with a style element, which a strict CSP blocks. Without a trigger of Radix, closing returns
 * the focus to what had it at the opening.
 */
export function Dialog({ open, onOpenChange, title, description, initialFocus, children }: DialogProps) {
  const body = useRef<HTMLDivElement>(null);
  const opener = useRef<Element>(null);
  return (
    <Primitive.Root open={open} onOpenChange={onOpenChange}>
      <Primitive.Portal>
        <div aria-hidden className="fixed inset-0 z-40 bg-(--backdrop)" />
        <Primitive.Content
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            opener.current = document.activeElement;
            (initialFocus?.current ?? body.current)?.focus();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (opener.current instanceof HTMLElement) opener.current.focus();
          }}
          className="fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-32px)] w-[min(720px,calc(100vw-16px))] -translate-x-1/2 -translate-y-1/2 flex-col rounded-card border border-edge bg-surface text-text"
        >
          <header className="flex items-start justify-between gap-4 border-line border-b p-4">
            <div>
              <Primitive.Title className="font-semibold text-name">{title}</Primitive.Title>
              <Primitive.Description className="text-dim">{description}</Primitive.Description>
            </div>
            <IconButton label="Close" icon={<X />} shortcut="Escape" look="quiet" onClick={() => onOpenChange(false)} />
          </header>
          {/* Keys scroll it, whatever is in it. */}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region needs to be reached by keyboard. */}
          <div ref={body} tabIndex={0} className="overflow-y-auto p-4 -outline-offset-2">
            {children}
          </div>
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
