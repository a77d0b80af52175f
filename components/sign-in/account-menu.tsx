'use client';

import { useMutation } from '@tanstack/react-query';
import { CircleUser, LogOut, Menu as MenuIcon } from 'lucide-react';
import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import { signOut } from '#lib/client/account/sign-out.ts';
import { Button } from '../ui/button.tsx';
import { Menu, MenuItem, MenuLabel, MenuLink } from '../ui/menu.tsx';
import { pagesOf } from './pages.ts';

interface AccountMenuProps {
  readonly viewer: Pick<PageViewer, 'operator' | 'isAdmin' | 'isLimited' | 'hasReceivers'>;
  /** The page on which it is, which the menu leaves out. */
  readonly path: string;
  /** Whether a navigation has the other pages. */
  readonly isAccountOnly?: boolean;
}

/** The menu at the end of the bar: the other pages, and where sign-in is needed the account. */
export function AccountMenu({ viewer, path, isAccountOnly = false }: AccountMenuProps) {
  const { operator } = viewer;
  const pages = isAccountOnly ? [] : pagesOf(viewer).filter(({ address }) => address !== path);
  const trigger = operator ? (
    <Button look="quiet" aria-label={`Account of ${operator.name}`}>
      <CircleUser aria-hidden size={16} strokeWidth={1.75} />
      <span data-shortened className="max-w-32 truncate @max-[1599px]/bar:hidden">
        {operator.name}
      </span>
    </Button>
  ) : (
    <Button look="quiet" shape="icon" aria-label="Pages">
      <MenuIcon aria-hidden size={16} strokeWidth={1.75} />
    </Button>
  );
  return (
    <Menu trigger={trigger}>
      {operator && (
        <MenuLabel className="px-3 py-2 text-dim">
          Signed in as <span className="font-semibold text-text">{operator.name}</span>, {operator.role}
        </MenuLabel>
      )}
      {pages.map(({ address, text, Icon }) => (
        <MenuLink key={address} href={address}>
          <Icon aria-hidden size={16} strokeWidth={1.75} />
          {text}
        </MenuLink>
      ))}
      {operator && <SignOutItem />}
    </Menu>
  );
}

function SignOutItem() {
  const { isLeaving, isFailed, leave } = useSignOut();
  return (
    <>
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
    </>
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
