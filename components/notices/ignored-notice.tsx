'use client';

import { X } from 'lucide-react';
import { useState } from 'react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { ignoredText } from './notice-text.ts';

export function IgnoredNotice() {
  const { link } = useLookout();
  const [open, setOpen] = useState(true);
  if (!open) return null;
  return (
    <div data-testid="notice-ignored" className="strip-line text-dim">
      <p>{ignoredText(link.ignored, link.cutAt)}</p>
      <IconButton
        look="quiet"
        shape="small-icon"
        label="Dismiss this notice"
        icon={<X />}
        onClick={() => setOpen(false)}
      />
    </div>
  );
}
