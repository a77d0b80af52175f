import 'server-only';
import { redirect } from 'next/navigation';
import { type Role, roleMay } from '#lib/api/people/permission.ts';
import { runtime } from '../runtime.ts';
import { currentViewer } from './viewer.ts';

interface AdminPageViewer {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly isAdmin: boolean;
  readonly hasReceivers: boolean;
}

/** @param path to return to after signing in */
export async function adminPageViewer(path: string): Promise<AdminPageViewer> {
  const viewer = await currentViewer();
  if (!viewer) redirect(`/sign-in?${new URLSearchParams({ next: path })}`);
  if (!viewer.session) redirect('/');
  if (viewer.needs) redirect('/account');
  const { id, name, role } = viewer.operator;
  return { id, name, role, isAdmin: roleMay(role, 'administer'), hasReceivers: runtime().receivers !== undefined };
}
