import 'server-only';
import { runtime } from '../runtime.ts';
import { currentViewer } from './session-cookie.ts';
import { redirect } from 'next/navigation';
import { type Role, roleMay } from '#lib/api/people/permission.ts';

interface AdminPageViewer {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly isAdmin: boolean;
  /** Whether there is a page of receivers to lead to. */
  readonly hasReceivers: boolean;
}

/**
 * The viewer of an admin page. Redirects a viewer who has not signed in, or has to finish their account.
 * @param path of the page, to return to after signing in
 */
export async function adminPageViewer(path: string): Promise<AdminPageViewer> {
  const viewer = await currentViewer();
  if (!viewer) redirect(`/sign-in?${new URLSearchParams({ next: path })}`);
  // Where no sign-in is needed there are no people.
  if (!viewer.session) redirect('/');
  if (viewer.needs) redirect('/account');
  const { id, name, role } = viewer.operator;
  return { id, name, role, isAdmin: roleMay(role, 'administer'), hasReceivers: runtime().receivers !== undefined };
}
