'use client';

import { CircleUser, Grid3x3, LogOut, RadioTower, ScrollText, Send, UserCog, Users } from 'lucide-react';
import { roleMay } from '#lib/api/people/permission.ts';
import type { SignedInOperator } from '#lib/api/people/session-messages.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { Button } from '../ui/button.tsx';
import { Menu, MenuItem, MenuLabel } from '../ui/menu.tsx';
import { useSignOut } from './use-sign-out.ts';

export function AccountMenu({ operator: { name, role } }: { readonly operator: SignedInOperator }) {
  const { hasReceivers } = useLookout().server;
  const { isLeaving, isFailed, leave } = useSignOut();
  return (
    <Menu
      trigger={
        <Button look="quiet" aria-label={`Account of ${name}`}>
          <CircleUser aria-hidden size={16} strokeWidth={1.75} />
          <span className="max-w-32 truncate tablet:hidden @max-[1600px]/bar:group-has-[[data-testid=chip-alarms]]/head:hidden">
            {name}
          </span>
        </Button>
      }
    >
      <MenuLabel className="px-3 py-2 text-dim">
        Signed in as <span className="font-semibold text-text">{name}</span>, {role}
      </MenuLabel>
      <MenuItem onSelect={() => window.location.assign('/account')}>
        <UserCog aria-hidden size={16} strokeWidth={1.75} />
        Your account
      </MenuItem>
      <MenuItem onSelect={() => window.location.assign('/overview')}>
        <Grid3x3 aria-hidden size={16} strokeWidth={1.75} />
        Overview
      </MenuItem>
      {roleMay(role, 'administer') && (
        <>
          <MenuItem onSelect={() => window.location.assign('/admin')}>
            <Users aria-hidden size={16} strokeWidth={1.75} />
            People
          </MenuItem>
          <MenuItem onSelect={() => window.location.assign('/admin/audit')}>
            <ScrollText aria-hidden size={16} strokeWidth={1.75} />
            Audit
          </MenuItem>
          {hasReceivers && (
            <MenuItem onSelect={() => window.location.assign('/admin/receivers')}>
              <RadioTower aria-hidden size={16} strokeWidth={1.75} />
              Receivers
            </MenuItem>
          )}
          <MenuItem onSelect={() => window.location.assign('/admin/outputs')}>
            <Send aria-hidden size={16} strokeWidth={1.75} />
            Outputs
          </MenuItem>
        </>
      )}
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
