'use client';

import { Plus } from 'lucide-react';
import type { ZonesAnswer } from '#lib/api/watching/zones.ts';
import { useLookout, useMay } from '#lib/client/page/lookout-context.tsx';
import { newDraft } from '#lib/client/zones/zone-draft.ts';
import { Button } from '../ui/button.tsx';

/** Why the lists of zones and alarms are empty, with the button that opens a new zone. */
export function NoZones({ unshared }: Pick<ZonesAnswer, 'unshared'>) {
  const mayCreate = useMay('watch');
  return (
    <div className="flex flex-col items-start gap-2 px-4 pb-3" data-testid="no-zones">
      <p>
        {noZonesText(unshared)}
        {mayCreate && !unshared && ' Create one.'}
      </p>
      <p className="text-caption text-dim">
        A zone is an area that Lookout watches, such as 500 m around a runway, also without an open page.
      </p>
      <CreateZoneButton look="primary" />
    </div>
  );
}

export function noZonesText(unshared: boolean): string {
  return unshared ? 'No zone is shared with you.' : 'No zones yet.';
}

/** Nothing for an operator who may not create a zone. */
export function CreateZoneButton({ look = 'plain', onClick }: { look?: 'primary' | 'plain'; onClick?: () => void }) {
  const { zones: desk } = useLookout();
  const mayCreate = useMay('watch');
  if (!mayCreate) return null;
  const create = () => {
    onClick?.();
    desk.startDraft(newDraft());
  };
  return (
    <Button look={look} onClick={create}>
      <Plus aria-hidden size={14} />
      Create zone
    </Button>
  );
}
