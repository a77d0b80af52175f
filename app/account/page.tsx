import { redirect } from 'next/navigation';
import { AccountPage } from '#components/account/account-page.tsx';
import { roleMay } from '#lib/api/people/permission.ts';
import { currentViewer } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const metadata = { title: 'Your account · Lookout' };

export default async function Page() {
  const viewer = await currentViewer();
  if (!viewer) redirect('/sign-in?next=%2Faccount');
  if (!viewer.session) redirect('/');
  const { id, role } = viewer.operator;
  const isAdmin = !viewer.needs && roleMay(role, 'administer');
  return <AccountPage operator={id} isAdmin={isAdmin} hasReceivers={runtime().receivers !== undefined} />;
}
