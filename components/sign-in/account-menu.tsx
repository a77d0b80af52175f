'use client';

import { useMutation } from '@tanstack/react-query';
import { CircleUser, Grid3x3, LogOut, RadioTower, ScrollText, Send, UserCog, Users } from 'lucide-react';
import { roleMay } from '#lib/api/people/permission.ts';
import type { SignedInOperator } from '#lib/api/people/session-messages.ts';
import { signOut } from '#lib/client/account/sign-out.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { Button } from '../ui/button.tsx';
import { Menu, MenuItem, MenuLabel, MenuLink } from '../ui/menu.tsx';

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
      <MenuLink href="/account">
        <UserCog aria-hidden size={16} strokeWidth={1.75} />
        Your account
      </MenuLink>
      <MenuLink href="/overview">
        <Grid3x3 aria-hidden size={16} strokeWidth={1.75} />
        Overview
      </MenuLink>
      {roleMay(role, 'administer') && (
        <>
          <MenuLink href="/admin">
            <Users aria-hidden size={16} strokeWidth={1.75} />
            People
          </MenuLink>
          <MenuLink href="/admin/audit">
            <ScrollText aria-hidden size={16} strokeWidth={1.75} />
            Audit
          </MenuLink>
          {hasReceivers && (
            <MenuLink href="/admin/receivers">
              <RadioTower aria-hidden size={16} strokeWidth={1.75} />
              Receivers
            </MenuLink>
          )}
          <MenuLink href="/admin/outputs">
            <Send aria-hidden size={16} strokeWidth={1.75} />
            Outputs
          </MenuLink>
        </>
      )}
      <MenuItem
        onSelect={(event) => {
          // The menu stays open to report a failure; on success the page reloads.
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

interface SignOut {
  /** Stays true until the page reloads. */
  readonly isLeaving: boolean;
  readonly isFailed: boolean;
  readonly leave: () => void;
}

export function useSignOut(): SignOut {
  const { mutate, isPending, isSuccess, isError } = useMutation({
    mutationFn: signOut,
    onSuccess: () => window.location.reload(),
    // The request fails at once while offline. By default it would wait for the network.
    networkMode: 'always',
  });
  return { isLeaving: isPending || isSuccess, isFailed: isError, leave: mutate };
}
