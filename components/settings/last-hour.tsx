'use client';

import { History } from 'lucide-react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { toggleReplay } from '#lib/client/page/toggle-replay.ts';
import { Button } from '../ui/button.tsx';

/** What lies further back than live trails. */
export function LastHour() {
  const lookout = useLookout();
  return (
    <div className="mt-2">
      <Button onClick={() => toggleReplay(lookout)}>
        <History aria-hidden size={14} />
        Load the last hour of this area
      </Button>
      <p className="mt-1 text-caption text-dim">
        Opens its replay, and says how many requests it costs before any is made.
      </p>
    </div>
  );
}
