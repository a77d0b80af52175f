import { redirect } from 'next/navigation';
import { AccountPage } from '#components/account/account-page.tsx';
import { pageViewer } from '#lib/server/routes/page-viewer.ts';
import { currentViewer } from '#lib/server/routes/viewer.ts';

export const metadata = { title: 'Your account · Lookout' };

export default async function Page() {
  const viewer = await currentViewer();
  if (!viewer) redirect('/sign-in?next=%2Faccount');
  if (!viewer.session) redirect('/');
  return <AccountPage viewer={pageViewer(viewer)} />;
}
