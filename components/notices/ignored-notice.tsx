'use client';

import { X } from 'lucide-react';
import { useState } from 'react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { IconButton } from '../ui/icon-button.tsx';

/** Says which parameters of the address were ignored, until it is put away: the rest of the link holds. */
export function IgnoredNotice({ className }: { readonly className: string }) {
  const { ignoredParameters } = useLookout();
  const [open, setOpen] = useState(ignoredParameters.length > 0);
  if (!open) return null;
  return (
    <div data-testid="notice-ignored" className={className}>
      <p>Ignored in the address, as unknown or broken: {ignoredParameters.join(', ')}.</p>
      <IconButton
        look="quiet"
        shape="small-icon"
        label="Put this notice away"
        icon={<X />}
        onClick={() => setOpen(false)}
      />
    </div>
  );
}
