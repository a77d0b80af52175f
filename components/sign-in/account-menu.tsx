'use client';

import { CircleUser, LogOut, UserCog } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { Menu, MenuItem, MenuLabel } from '../ui/menu.tsx';
import { useSignOut } from './use-sign-out.ts';

export function AccountMenu({ operator }: { readonly operator: string }) {
  const { isLeaving, isFailed, leave } = useSignOut();
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
      <MenuItem onSelect={() => window.location.assign('/account')}>
        <UserCog aria-hidden size={16} strokeWidth={1.75} />
        Your account
      </MenuItem>
      <MenuItem
        onSelect={(event) => {
          // Keeps the menu open to report a failure; on success the page reloads.
          event.preventDefault();
          leave();
        }}
      >
        <LogOut aria-hidden size={16} strokeWidth={1.75} />
        {isLeaving ? 'Signing out…' : 'Sign out'}
      </MenuItem>
      {isFailed && (
        <p role="alert" className="px-3 pb-2 text-bad">
          Could not sign out. Try again.
        </p>
      )}
    </Menu>
  );
}
