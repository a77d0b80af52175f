'use client';

import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { SPEEDS, type Speed } from '#lib/client/replay/playback.ts';
import { Button } from '../ui/button.tsx';
import { Menu, MenuChoices } from '../ui/menu.tsx';

/** How much faster than real time. */
export function SpeedMenu({ speed }: { readonly speed: Speed }) {
  const { replay } = useLookout();
  return (
    <Menu
      narrow
      trigger={
        <Button aria-label={`Speed: ${speed}×. Change`} aria-keyshortcuts="[ ]" className="min-w-14 font-mono">
          {speed}×
        </Button>
      }
    >
      <MenuChoices
        value={String(speed)}
        choices={SPEEDS.map((choice) => ({ value: String(choice), label: `${choice}×` }))}
        onChange={(chosen) => {
          const to = SPEEDS.find((choice) => String(choice) === chosen);
          if (to !== undefined) replay.command({ do: 'speed', to });
        }}
      />
    </Menu>
  );
}
