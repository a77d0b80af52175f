'use client';

import { CircleUser, LogOut } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Menu, MenuItem, MenuLabel } from '../ui/menu.tsx';
import { signOut } from './sign-out.ts';

export function AccountMenu({ operator }: { readonly operator: string }) {
  const [state, setState] = useState<'idle' | 'leaving' | 'failed'>('idle');

  const leave = async () => {
    setState('leaving');
    if (await signOut()) window.location.reload();
    else setState('failed');
  };

  return (
    <Menu
      trigger={
        <Button look="quiet" aria-label={`Account of ${operator}`}>
          <CircleUser aria-hidden size={16} strokeWidth={1.75} />
          <span className="max-w-32 truncate">{operator}</span>
        </Button>
      }
    >
      <MenuLabel className="px-3 py-2 text-dim">
        Signed in as <span className="font-semibold text-text">{operator}</span>
      </MenuLabel>
      <MenuItem
        onSelect={(event) => {
          // The menu stays open to say whether it worked; a reload closes it.
          event.preventDefault();
          void leave();
        }}
      >
        <LogOut aria-hidden size={16} strokeWidth={1.75} />
        {state === 'leaving' ? 'Signing out…' : 'Sign out'}
      </MenuItem>
      {state === 'failed' && (
        <p role="alert" className="px-3 pb-2 text-bad">
          Signing out did not work. Try again.
        </p>
      )}
    </Menu>
  );
}
