'use client';

import { X } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { useIsTabVisible } from '#lib/client/browser/use-tab-visible.ts';
import { useDisplay, useIsReplaying, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { NOT_REMEMBERED, useIsRemembered } from '../ui/storage-note.tsx';
import { HINTS, type Hint } from './hints.ts';

/** The hints of a first visit would return at every visit. */
const WITHOUT_STORAGE: readonly Hint[] = [{ name: 'storage', text: NOT_REMEMBERED }];

/** Long enough to read the longest hint twice. */
const SHOWN_MS = 15_000;

/** The hints of a first visit. Each ends by itself: once it was shown for a while, or what it says was done. */
export function HintStrip() {
  const [{ hintsSeen }, change] = usePreferences();
  const hints = useIsRemembered() ? HINTS : WITHOUT_STORAGE;
  const left = hints.filter(({ name }) => !hintsSeen.includes(name));
  const [hint] = left;
  const [isHeld, setHeld] = useState(false);
  const done = useDone();
  const isOver = hint !== undefined && done.has(hint.name);
  const isSeen = useIsTabVisible() && !isHeld;
  const name = hint?.name;
  const end = useEffectEvent(() => name !== undefined && change({ hintsSeen: [...hintsSeen, name] }));
  useEffect(() => {
    if (name === undefined || !isSeen) return;
    const timer = setTimeout(end, isOver ? 0 : SHOWN_MS);
    return () => clearTimeout(timer);
  }, [name, isSeen, isOver]);
  if (!hint) return null;
  const isLast = left.length === 1;
  return (
    <aside
      aria-label="Hints for a first visit"
      data-testid="hints"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className="flex items-center gap-3 border-line border-b bg-raised px-4 py-1 phone:items-start phone:px-2"
    >
      <p className="min-w-0 flex-1 phone:py-1">
        {hints.length > 1 && (
          <span className="mr-2 text-dim">
            Hint {hints.indexOf(hint) + 1} of {hints.length}
          </span>
        )}
        {hint.text}
      </p>
      <Button onClick={() => change({ hintsSeen: [...hintsSeen, hint.name] })}>{isLast ? 'Done' : 'Next hint'}</Button>
      {!isLast && (
        <IconButton
          label="Dismiss all hints"
          icon={<X />}
          look="quiet"
          onClick={() => change({ hintsSeen: [...hintsSeen, ...left.map(({ name }) => name)] })}
        />
      )}
    </aside>
  );
}

/** The names of hints that an operator no longer needs. */
function useDone(): ReadonlySet<string> {
  const isReplaying = useIsReplaying();
  const hasSelected = useDisplay(({ selectedRef }) => selectedRef !== undefined);
  return new Set([...(hasSelected ? ['card'] : []), ...(isReplaying ? ['replay'] : [])]);
}
